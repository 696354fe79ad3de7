package org.heapspan.spark.statistics;

import org.jspecify.annotations.Nullable;

/**
 * Counts what one stream encodes. The first record of a group and its end are always timed: many streams have but one record, which may be large. Of the
 * other records one of {@value SampleClock#PERIOD} is ({@link SampleClock}), and those that are timed are told by their class. What was measured
 * reaches the counters with the group. Not thread-safe.
 */
public final class EncodeMeter {
    private final SerializationCounters counters;
    private int untilSample = 1;
    private int weight = 1;
    private long nanos;

    public EncodeMeter(SerializationCounters counters) {
        this.counters = counters;
    }

    /**
     * Before a record is encoded.
     *
     * @return 0, or what {@link #end} takes
     */
    public long begin() {
        if (--untilSample > 0) {
            return 0;
        }
        return SampleClock.now();
    }

    /**
     * After a record was encoded whose {@link #begin} was not 0.
     *
     * @param bytes by which its group grew
     */
    public void end(long begin, @Nullable Object record, long bytes) {
        nanos += weight == 1 ? SampleClock.elapsed(begin) : weight * SampleClock.sample(begin, bytes);
        EncodedClasses.add(record, weight, weight * bytes);
        weight = SampleClock.PERIOD;
        untilSample = SampleClock.recordsUntilSample();
    }

    /**
     * After a group was finished.
     *
     * @param records in it
     * @param bytes it has
     * @param finishing {@link SampleClock#now} when finishing began
     */
    public void groupLeft(long records, long bytes, long finishing) {
        counters.encoded(records, bytes, nanos + SampleClock.elapsed(finishing));
        nanos = 0;
        untilSample = 1;
        weight = 1;
    }
}
