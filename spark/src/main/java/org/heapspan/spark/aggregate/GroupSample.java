package org.heapspan.spark.aggregate;

import java.util.List;
import org.apache.spark.heapspan.CombinerSizes.Entries;
import org.jspecify.annotations.Nullable;
import scala.collection.Seq;

/**
 * A sample for groups that keep each value, which are Spark's {@code CompactBuffer}s. Values and keys are sampled separately. So the distribution of values
 * among groups does not matter, even if one key has most of the values.
 */
final class GroupSample implements Sample {
    /** If the measurement is not thorough. */
    private static final int VALUES = 128;

    private static final int KEYS = 64;

    /** Of {@code core/.../util/collection/CompactBuffer.scala}: two elements are in the object itself, others in an array that doubles. */
    private static final int ELEMENTS_WITHOUT_ARRAY = 2;

    private static final int FIRST_ARRAY_LENGTH = 8;
    private static final int GROUP_BYTES = 40;
    private static final int ARRAY_HEADER_BYTES = 24;

    private final Entries entries;
    private final WalkedBytes walked;
    private final long slotBytes;
    private final Reservoir values = new Reservoir(MOST_ELEMENTS, 1);
    private final Reservoir keys = new Reservoir(KEYS, 2);
    private long arrayBytes;

    /** All bytes that were allocated with large values, because the group keeps the values. */
    private long largeBytes;

    GroupSample(Entries entries, WalkedBytes walked) {
        this.entries = entries;
        this.walked = walked;
        slotBytes = MeasuredCombiners.referenceBytes(walked);
    }

    @Override
    public void add(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew) {
        values.offer(value);
        if (isNew) {
            keys.offer(key);
        } else if (combiner instanceof Seq<?> group) {
            arrayBytes += grownBytes(group.length() - ELEMENTS_WITHOUT_ARRAY);
        }
    }

    /** By how many bytes an array has grown for its last element. */
    private long grownBytes(int elements) {
        if (elements == 1) {
            return ARRAY_HEADER_BYTES + FIRST_ARRAY_LENGTH * slotBytes;
        }
        int full = elements - 1;
        return full >= FIRST_ARRAY_LENGTH && (full & full - 1) == 0 ? full * slotBytes : 0;
    }

    @Override
    public void addLarge(long bytes) {
        largeBytes += bytes;
    }

    @Override
    public long measure(boolean thoroughly) {
        int sampled = Sample.elements(thoroughly, values.offered(), VALUES);
        long ofValues = walked.extrapolated(List.of(), values.sample(sampled), 1, values.offered());
        long ofKeys = walked.extrapolated(List.of(), keys.sample(KEYS), 1, entries.count());
        return Math.max(ofValues, largeBytes) + ofKeys + arrayBytes + (long) GROUP_BYTES * entries.count();
    }
}
