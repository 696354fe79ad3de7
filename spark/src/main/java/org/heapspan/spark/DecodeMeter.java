package org.heapspan.spark;

/**
 * Counts what one stream decodes. Opening a group and its first record are always timed: there the direct engine makes the objects of many records
 * at once. Of the others one of {@value SampleClock#PERIOD} is ({@link SampleClock}). What a group had reaches the counters when the next one opens
 * or the stream ends. Not thread-safe.
 */
final class DecodeMeter {
    private final SerializationCounters counters;
    private int untilSample = SampleClock.PERIOD;
    private int weight = SampleClock.PERIOD;
    private long records;
    private long bytes;
    private long nanos;

    DecodeMeter(SerializationCounters counters) {
        this.counters = counters;
    }

    /**
     * After a group was opened.
     *
     * @param groupBytes it has
     * @param opening {@link SampleClock#now} before it was opened
     */
    void groupOpened(long groupBytes, long opening) {
        long openingNanos = SampleClock.elapsed(opening);
        flush();
        bytes = groupBytes;
        nanos = openingNanos;
        untilSample = 1;
        weight = 1;
    }

    /**
     * Before a record is decoded.
     *
     * @return 0, or what {@link #end} takes
     */
    long begin() {
        records++;
        return --untilSample > 0 ? 0 : SampleClock.now();
    }

    /** After a record was decoded whose {@link #begin} was not 0. */
    void end(long begin) {
        if (weight == 1) {
            nanos += SampleClock.elapsed(begin);
            weight = SampleClock.PERIOD;
        } else {
            nanos += weight * SampleClock.sample(begin, bytes);
        }
        untilSample = SampleClock.recordsUntilSample();
    }

    /** When no record follows, or nobody wants any. */
    void flush() {
        if (records != 0 || bytes != 0) {
            counters.decoded(records, bytes, nanos);
            records = 0;
            bytes = 0;
            nanos = 0;
        }
    }
}
