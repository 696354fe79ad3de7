/**
 * Counters of one JVM: records, bytes and time for each stage, classes of records, failures, cached partitions.
 *
 * <p>Entry points: {@link SerializationCounters}, whose Javadoc shows how a stream counts; {@link EncodeMeter} for code that writes record by record;
 * {@link CachedPartitions} for the second heap. {@link SerializationMetric} shows the sums to Spark's metrics.
 *
 * <p>Invariants: thread-safe. Most records are only counted; time and class are sampled ({@link SampleClock}). Sums
 * never decrease while the application runs. Memory is bounded.
 *
 * <p>Tests: {@code SerializationCountersTest}, {@code SerializationMetricTest}, {@code LoggedOnceTest}.
 */
@NullMarked
package org.heapspan.spark.statistics;

import org.jspecify.annotations.NullMarked;
