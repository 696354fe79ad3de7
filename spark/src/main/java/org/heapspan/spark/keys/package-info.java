/**
 * Numbers for strings that are keys of pairs in many shuffle blocks (ZCOT section 5): blocks have the number in place of the string, and a JVM has one
 * object for each.
 *
 * <p>Entry points: {@link DriverKeys}, which gives out the numbers; {@link ClusterKeys}, an executor's view of them; {@link ApplicationKeys}, where
 * serializers find it.
 *
 * <p>Invariants: a number stands for the same string as long as the application runs, so blocks may be read again by any executor. Who writes never
 * waits for the driver: a string without a number is written as any string. Keys and their bytes are bounded. Numbers are in shuffle blocks only.
 *
 * <p>Tests: {@code ClusterKeysTest}, {@code RepeatedKeysTest}, {@code RepeatedKeysIT}.
 */
@NullMarked
package org.heapspan.spark.keys;

import org.jspecify.annotations.NullMarked;
