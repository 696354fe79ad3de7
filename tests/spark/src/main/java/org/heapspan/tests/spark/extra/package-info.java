/**
 * Classes that tests give to Spark in ways of their own: in a jar that only {@code --jars} names ({@link Reading}), or in two versions with fields
 * of other types ({@link Gauge}).
 *
 * <p>Entry point: {@code ExtraClasses} of the applications uses them.
 *
 * <p>Invariant: no jar of the application or of a test has them on the class path of executors, but the one that the test means.
 *
 * <p>Tests: {@code FaultsIT}.
 */
package org.heapspan.tests.spark.extra;
