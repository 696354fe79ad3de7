package org.heapspan.spark.statistics;

import java.io.Serializable;

/**
 * What was encoded or decoded, and how long it took.
 *
 * @param records graphs that were written or read, of which a pair of key and value is one
 * @param bytes of the groups and single images they are in, before compression and encryption
 * @param nanos spent, summed over all threads; of groups an estimate, see {@link SampleClock}
 */
public record Work(long records, long bytes, long nanos) implements Serializable {
    public static final Work NONE = new Work(0, 0, 0);

    public Work plus(Work other) {
        return new Work(records + other.records, bytes + other.bytes, nanos + other.nanos);
    }

    public Work minus(Work other) {
        return new Work(records - other.records, bytes - other.bytes, nanos - other.nanos);
    }

    public boolean isNone() {
        return records == 0 && bytes == 0 && nanos == 0;
    }
}
