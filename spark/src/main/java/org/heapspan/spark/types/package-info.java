/**
 * The type registry of an application: the driver assigns numbers to classes, and executors ask for them.
 *
 * <p>Entry points: {@link ApplicationTypes}, where serializers find the registry of this JVM; {@link DriverTypes} is the registry on the driver,
 * {@link ClusterTypes} on an executor. {@link TypesQuestion} and {@link TypesAnswer} are the messages between the two.
 *
 * <p>Invariants: numbers have no gaps, never change, and are valid for one application. So only bytes that do not outlive it have numbers, that is, shuffle
 * blocks. If a writer gets no answer, it describes the class instead. Only a reader of a number waits.
 *
 * <p>Tests: {@code ClusterTypesTest}, {@code NumberedGroupsTest}.
 */
@NullMarked
package org.heapspan.spark.types;

import org.jspecify.annotations.NullMarked;
