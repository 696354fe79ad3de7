/**
 * Computes how much memory a map of combiners takes. The bytes that the thread has allocated give an upper bound. If the bound says that memory may be
 * short, a sample of the map is measured. Decision 0014 gives the reasons.
 *
 * <p>Entry point: {@link MeasuredCombiners}, which the serializer passes to the shuffle manager. {@link GrowthBound} decides when to measure.
 * {@link EntrySample} and {@link GroupSample} measure.
 *
 * <p>Invariants: between two measurements no object is visited. A measurement visits a limited number of entries. Bytes that the
 * thread has allocated are assumed to be in the map until a measurement says that they are not.
 *
 * <p>Tests: {@code GrowthBoundTest}, {@code FrequentKeysTest}, {@code ReservoirTest}, {@code AllocatedBytesTest}, {@code CombinerSizesTest},
 * {@code SizedCombiningTest}.
 */
@NullMarked
package org.heapspan.spark.aggregate;

import org.jspecify.annotations.NullMarked;
