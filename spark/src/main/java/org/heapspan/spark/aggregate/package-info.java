/**
 * How much memory the combiners of a map take, which values are combined into by key: a bound from what the thread has allocated, and a measurement of a
 * sample where the bound says that memory may be short.
 *
 * <p>Entry point: {@link MeasuredCombiners}, which the serializer hands to Spark's side. {@link GrowthBound} decides when to measure; {@link EntrySample} and
 * {@link GroupSample} measure.
 *
 * <p>Invariants: between two measurements nothing is walked. A measurement walks a bounded number of entries. What is not known is taken to be large.
 *
 * <p>Tests: {@code GrowthBoundTest}, {@code EntrySampleTest}, {@code GroupSampleTest}, {@code AllocatedBytesTest}, {@code CombinerSizesTest}.
 */
@NullMarked
package org.heapspan.spark.aggregate;

import org.jspecify.annotations.NullMarked;
