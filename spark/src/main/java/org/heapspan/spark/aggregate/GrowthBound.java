package org.heapspan.spark.aggregate;

import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.spark.heapspan.CombinerSizes;
import org.jspecify.annotations.Nullable;

/**
 * Computes an upper bound of the size of a map: the size at the last measurement, plus all bytes that the thread has allocated since. A map cannot grow by more,
 * with two exceptions: objects that existed before, and objects that other threads have allocated. For these the map is assumed to grow as it did between the
 * last two measurements. The map is measured again only when the bound reaches the memory that the task has for it. So a map in a large heap is hardly ever
 * measured.
 */
final class GrowthBound implements CombinerSizes {
    /** Spark checks the size after this number of values. */
    static final int CHECKED_UPDATES = 32;

    /** The sample is told when the thread has allocated this much between two checks. Decoding a group of ordinary records allocates less. */
    static final long LARGE_BYTES = 2 << 20;

    /** The map is also measured when its number of values has grown by this factor. */
    private static final int MEASURED_GROWTH = 4;

    /** If most of the allocated bytes are garbage, the next measurement waits until this many bytes have been allocated. */
    private static final long LEAST_GARBAGE_BYTES = 4 << 20;

    private static final double MOSTLY_GARBAGE = 0.25;

    /** Spark asks for more memory at this share. Otherwise the map would be measured for each of the last values. */
    private static final double FULL = 0.75;

    private static final double RATE_MARGIN = 1.25;

    private final Entries entries;

    /** How many values Spark has counted before those of the map. */
    private final long updatesBefore;

    private final WalkedBytes walked;
    private final LongSupplier allocatedBytes;
    private final long referenceBytes;

    /** Null until the first combiner, which decides on its kind. */
    private @Nullable Sample sample;

    private long updates;
    private long checkedAllocated;
    private long nextCheck;

    private long measuredBytes;
    private long measuredUpdates;
    private long measuredAllocated;
    private long nextMeasurement = CHECKED_UPDATES;
    private double bytesPerUpdate;
    private double keptShare = 1;

    private long estimatedBytes;

    GrowthBound(Entries entries, long updatesBefore, ToLongFunction<Object> walk, LongSupplier allocatedBytes) {
        this.entries = entries;
        this.updatesBefore = updatesBefore;
        walked = new WalkedBytes(walk);
        this.allocatedBytes = allocatedBytes;
        referenceBytes = MeasuredCombiners.referenceBytes(walked);
        measuredAllocated = allocatedBytes.getAsLong();
        checkedAllocated = measuredAllocated;
    }

    @Override
    public void combined(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew) {
        updates++;
        Sample known = sample;
        if (known == null) {
            known = MeasuredCombiners.keepsValues(value, combiner)
                    ? new GroupSample(entries, walked)
                    : new EntrySample(entries, walked);
            sample = known;
        }
        known.add(key, value, combiner, isNew);
    }

    @Override
    public long bytes(long roomBytes) {
        if (updates >= nextCheck) {
            // Spark asks after each value, and looks at the answer after each 32 of the task, which may have had other
            // maps.
            nextCheck = updates + CHECKED_UPDATES - (updatesBefore + updates) % CHECKED_UPDATES;
            estimatedBytes = check(roomBytes);
        }
        return estimatedBytes;
    }

    private long check(long roomBytes) {
        long allocated = allocatedBytes.getAsLong();
        Sample known = sample;
        if (known == null) {
            return 0;
        }
        if (allocated - checkedAllocated >= LARGE_BYTES) {
            known.addLarge(allocated - checkedAllocated);
        }
        long grown = allocated - measuredAllocated;
        double byRate = bytesPerUpdate * (updates - measuredUpdates);
        double most = measuredBytes + Math.max((double) grown, RATE_MARGIN * byRate);
        boolean isDue = most >= roomBytes
                && (grown >= LEAST_GARBAGE_BYTES || keptShare >= MOSTLY_GARBAGE || measuredBytes + byRate >= roomBytes);
        long bytes = measuredBytes + (long) Math.min(byRate, (double) grown);
        if (isDue || updates >= nextMeasurement) {
            bytes = measure(known, grown, isDue);
        }
        // The measurement itself has allocated only garbage.
        checkedAllocated = allocatedBytes.getAsLong();
        return bytes >= FULL * roomBytes ? Math.max(bytes, roomBytes) : bytes;
    }

    private long measure(Sample known, long grown, boolean thoroughly) {
        long bytes = tableBytes() + known.measure(thoroughly);
        long gained = bytes - measuredBytes;
        bytesPerUpdate = Math.max(0, (double) gained / Math.max(1, updates - measuredUpdates));
        keptShare = (double) gained / Math.max(1, grown);
        measuredBytes = bytes;
        measuredUpdates = updates;
        measuredAllocated = allocatedBytes.getAsLong();
        nextMeasurement = updates * MEASURED_GROWTH;
        return bytes;
    }

    /** Of Spark's {@code AppendOnlyMap}: each slot has a key and a combiner, and at most seven of ten slots are in use. */
    private long tableBytes() {
        long slots = 64;
        while (entries.count() > 0.7 * slots) {
            slots *= 2;
        }
        return 2 * slots * referenceBytes;
    }
}
