/**
 * What the tests of several modules need: {@link JavaProcess} runs other JVMs, {@link GeneratedClass} makes classes of one name that differ, {@link
 * Certificates} makes certificates, {@link Hosts} makes networks, {@link Ports} are for servers that are started again, {@link Threads} are for tasks at the same time, {@link TwoHosts} makes Spark take executors of one machine for executors on two hosts, and {@link
 * History} says whether what several clients saw is linearizable. Nothing of Heapspan is used here, and no user gets it.
 */
@NullMarked
package org.heapspan.testing;

import org.jspecify.annotations.NullMarked;
