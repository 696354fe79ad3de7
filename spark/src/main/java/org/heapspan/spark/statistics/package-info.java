/**
 * What one JVM counts of its own work: records, bytes and time by stage, classes of records, failures, cached partitions.
 *
 * <p>Entry points: {@link SerializationCounters}, whose Javadoc shows how a stream counts; {@link EncodeMeter} for those who write record by record;
 * {@link CachedPartitions} for the second heap. {@link SerializationMetric} shows the sums to Spark's metrics.
 *
 * <p>Invariants: thread-safe, and cheap on the path of a record: of most records neither the clock nor the class is looked at ({@link SampleClock}). Sums
 * never decrease as long as the application runs. Memory is bounded however long that is.
 *
 * <p>Tests: {@code SerializationCountersTest}, {@code SerializationMetricTest}, {@code LoggedOnceTest}.
 */
@NullMarked
package org.heapspan.spark.statistics;

import org.jspecify.annotations.NullMarked;
