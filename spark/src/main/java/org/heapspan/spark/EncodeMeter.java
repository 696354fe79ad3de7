package org.heapspan.spark;

import org.jspecify.annotations.Nullable;

/**
 * Counts what one stream encodes: one of {@value SampleClock#PERIOD} records is timed ({@link SampleClock}) and told by its class, the end
 * of each group is timed always. What is sampled reaches the counters with the group. Not thread-safe.
 */
final class EncodeMeter {
    private final SerializationCounters counters;
    private int untilSample = SampleClock.recordsUntilSample();
    private long nanos;

    EncodeMeter(SerializationCounters counters) {
        this.counters = counters;
    }

    /**
     * Before a record is encoded.
     *
     * @return 0, or what {@link #end} takes
     */
    long begin() {
        if (--untilSample > 0) {
            return 0;
        }
        untilSample = SampleClock.recordsUntilSample();
        return SampleClock.now();
    }

    /**
     * After a record was encoded whose {@link #begin} was not 0.
     *
     * @param bytes by which its group grew
     */
    void end(long begin, @Nullable Object record, long bytes) {
        nanos += SampleClock.PERIOD * SampleClock.sample(begin, bytes);
        EncodedClasses.add(record, SampleClock.PERIOD, SampleClock.PERIOD * bytes);
    }

    /**
     * After a group was finished.
     *
     * @param records in it
     * @param bytes it has
     * @param finishing {@link SampleClock#now} when finishing began
     */
    void groupLeft(long records, long bytes, long finishing) {
        counters.encoded(records, bytes, nanos + SampleClock.elapsed(finishing));
        nanos = 0;
    }
}
