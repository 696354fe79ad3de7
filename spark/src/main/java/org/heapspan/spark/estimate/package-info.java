/**
 * Estimates of the sizes of objects, for Spark's {@code SizeEstimator}: the same answers, found sooner.
 *
 * <p>Entry point: {@link EstimatorInstallation}, which each JVM calls once; Spark's class then calls {@link ObjectSizes} for each estimate.
 *
 * <p>Invariants: an answer is the number that Spark's own search would give, or none, and then Spark searches. The rules are asked of Spark's class, never known here. No object
 * is held after an answer. Decision 0013 tells how and why.
 *
 * <p>Tests: {@code ObjectSizesTest}, {@code VisitedPlacesTest}, {@code SizeEstimatorClassTest}; on real Spark {@code EstimatorIT}.
 */
@NullMarked
package org.heapspan.spark.estimate;

import org.jspecify.annotations.NullMarked;
