package org.heapspan.spark.aggregate;

import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.spark.heapspan.CombinerSizes;
import org.jspecify.annotations.Nullable;

/**
 * Follows the size of a map by a bound: what was measured last, and all that the thread has allocated since. A map cannot grow by more, but for objects that
 * were there before or that other threads have made; for those it is taken to grow on as it did between the last two measurements. Only when the bound
 * reaches the room that there is, the map is measured again, so that a map in a roomy heap is hardly ever measured.
 */
final class GrowthBound implements CombinerSizes {
    /** Spark looks at the size after as many values. */
    static final int CHECKED_UPDATES = 32;

    /** So much for as few values is told to the sample: more than groups of ordinary records take when they are decoded. */
    static final long LARGE_BYTES = 2 << 20;

    /** The map is also measured when it has got so many times the values of the last time. */
    private static final int MEASURED_GROWTH = 4;

    /** Where most of what is allocated is garbage, so much is, before the map is measured again. */
    private static final long LEAST_GARBAGE_BYTES = 4 << 20;

    private static final double MOSTLY_GARBAGE = 0.25;

    /** More room is asked for before all is used, lest the map be measured for each of the last values. */
    private static final double FULL = 0.75;

    private static final double RATE_MARGIN = 1.25;

    private final Entries entries;
    private final WalkedBytes walked;
    private final LongSupplier allocatedBytes;
    private final long referenceBytes;

    /** Chosen by the first combiner. */
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

    GrowthBound(Entries entries, ToLongFunction<Object> walk, LongSupplier allocatedBytes) {
        this.entries = entries;
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
            nextCheck = updates + CHECKED_UPDATES;
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
            bytes = measure(known, grown);
        }
        // What the walk itself has allocated is garbage.
        checkedAllocated = allocatedBytes.getAsLong();
        return bytes >= FULL * roomBytes ? Math.max(bytes, roomBytes) : bytes;
    }

    private long measure(Sample known, long grown) {
        long bytes = tableBytes() + known.measure();
        long gained = bytes - measuredBytes;
        bytesPerUpdate = Math.max(0, (double) gained / Math.max(1, updates - measuredUpdates));
        keptShare = (double) gained / Math.max(1, grown);
        measuredBytes = bytes;
        measuredUpdates = updates;
        measuredAllocated = allocatedBytes.getAsLong();
        nextMeasurement = updates * MEASURED_GROWTH;
        return bytes;
    }

    /** Of Spark's {@code AppendOnlyMap}: a key and a combiner a slot, at most seven slots of ten in use. */
    private long tableBytes() {
        long slots = 64;
        while (entries.count() > 0.7 * slots) {
            slots *= 2;
        }
        return 2 * slots * referenceBytes;
    }
}
