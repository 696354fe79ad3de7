/**
 * The type registry of an application: the driver gives classes their numbers, executors ask for them.
 *
 * <p>Entry points: {@link ApplicationTypes}, where serializers look for the registry of this JVM; {@link DriverTypes} is it on the driver,
 * {@link ClusterTypes} on an executor. {@link TypesQuestion} and {@link TypesAnswer} are the messages between the two.
 *
 * <p>Invariants: numbers lie without a gap, never change, and end with the application: they may be only in what does not outlive it, that is in shuffles. A
 * writer without an answer describes the class instead; only a reader of a number waits.
 *
 * <p>Tests: {@code ClusterTypesTest}, {@code NumberedGroupsTest}.
 */
@NullMarked
package org.heapspan.spark.types;

import org.jspecify.annotations.NullMarked;
