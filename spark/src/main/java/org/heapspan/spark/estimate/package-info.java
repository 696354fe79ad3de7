/**
 * Computes the sizes that Spark's {@code SizeEstimator} estimates: the same numbers, in less time. Decision 0013 gives the method and the reasons.
 *
 * <p>Entry point: {@link EstimatorInstallation}, which each JVM calls once. Spark's class then calls {@link ObjectSizes} for each estimate.
 *
 * <p>Invariants: an answer is the number that Spark's own code would compute. If there is no answer, Spark's own code runs. The rules come from Spark's class
 * and are not repeated here. After an estimate nothing refers to its objects.
 *
 * <p>Tests: {@code ObjectSizesTest}, {@code VisitedPlacesTest}, {@code SizeEstimatorClassTest}; on real Spark {@code EstimatorIT}.
 */
@NullMarked
package org.heapspan.spark.estimate;

import org.jspecify.annotations.NullMarked;
