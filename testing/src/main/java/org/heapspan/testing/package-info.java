/**
 * What the tests of several modules need. Nothing of Heapspan is used here, and no user gets it.
 *
 * <ul>
 *   <li>{@link JavaProcess} runs other JVMs.
 *   <li>{@link GeneratedClass} makes classes of one name that differ.
 *   <li>{@link Certificates} makes certificates.
 *   <li>{@link Hosts} makes networks.
 *   <li>{@link Ports} are for servers that are started again.
 *   <li>{@link Threads} are for tasks at the same time.
 *   <li>{@link TwoHosts} lets Spark take executors of one machine for executors on two hosts.
 *   <li>{@link History} says whether what several clients saw is linearizable.
 * </ul>
 */
@NullMarked
package org.heapspan.testing;

import org.jspecify.annotations.NullMarked;
