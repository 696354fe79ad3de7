package org.heapspan.spark.record;

import org.heapspan.spark.statistics.EncodeMeter;
import org.heapspan.spark.statistics.SampleClock;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** Pairs of plain values that records are added to, as long as they are of the same kinds; see {@link PlainPairs}. Not thread-safe. */
final class OpenPairs {
    private static final int OBJECT_BYTES = 160; // this, its output and the buffer around the array

    private final Class<?> type;
    private final PlainKind key;
    private final PlainKind value;
    private final PlainOutput pairs = new PlainOutput();
    private long bufferBytes = pairs.capacity();
    private int count;

    private OpenPairs(Class<?> type, PlainKind key, PlainKind value) {
        this.type = type;
        this.key = key;
        this.value = value;
    }

    /** Begins pairs of which this can be the first; null if it can be none. Does not add it. */
    static @Nullable OpenPairs fitting(Object record) {
        if (!(record instanceof Tuple2<?, ?> pair)) {
            return null;
        }
        PlainKind key = PlainKind.of(pair._1());
        PlainKind value = key == null ? null : PlainKind.of(pair._2());
        if (key == null || value == null || key == PlainKind.NULL && value == PlainKind.NULL) {
            return null;
        }
        if (pair.getClass() != Tuple2.class) {
            SpecializedPairs specialized = SpecializedPairs.of(key, value);
            if (specialized == null || specialized.type() != pair.getClass()) {
                return null;
            }
        }
        return new OpenPairs(pair.getClass(), key, value);
    }

    /**
     * Adds a record.
     *
     * @return false if it does not fit to those that are there
     */
    boolean write(Object record, EncodeMeter meter) {
        if (record.getClass() != type) {
            return false;
        }
        Tuple2<?, ?> pair = (Tuple2<?, ?>) record;
        Object first = pair._1();
        Object second = pair._2();
        // What is shared stays shared, in groups of images.
        if (!key.isOf(first) || !value.isOf(second) || key.hasIdentity() && first == second) {
            return false;
        }
        long begin = meter.begin();
        int before = pairs.count();
        key.write(first, pairs);
        value.write(second, pairs);
        count++;
        if (begin != 0) {
            meter.end(begin, record, pairs.count() - before);
        }
        return true;
    }

    boolean isEmpty() {
        return count == 0;
    }

    int sizeBytes() {
        return pairs.count();
    }

    /** Takes note of what the pairs take, for {@link #bufferBytes}. */
    void noteSize() {
        bufferBytes = pairs.capacity();
    }

    /** How large the pairs may become before they take more memory. */
    long bufferBytes() {
        return bufferBytes;
    }

    /** How much memory they take, with room for what was once written. */
    long memoryBytes() {
        return OBJECT_BYTES + bufferBytes;
    }

    /**
     * Ends the group and begins the next.
     *
     * @param last whether it ends its stream
     * @param checked whether it has a checksum, however few the pairs are
     */
    byte[] finish(boolean last, boolean checked, EncodeMeter meter) {
        long finishing = SampleClock.now();
        byte[] group =
                PlainPairs.framed(last, type != Tuple2.class, PlainPairs.kinds(key, value), count, checked, pairs);
        meter.groupLeft(count, group.length, finishing);
        pairs.clear();
        count = 0;
        return group;
    }
}
