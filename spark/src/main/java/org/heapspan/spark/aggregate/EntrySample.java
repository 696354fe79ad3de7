package org.heapspan.spark.aggregate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.spark.heapspan.CombinerSizes.Entries;
import org.jspecify.annotations.Nullable;

/**
 * A sample for combiners of any kind. It is a uniform sample of the entries, and a set of entries that are probably much larger than the others: those whose
 * keys get many values, and those whose combiner was large when much memory was allocated. The large entries are measured one by one. The size of the others is
 * extrapolated from the uniform sample.
 */
final class EntrySample implements Sample {
    /** If the measurement is not thorough. */
    private static final int ENTRIES = 100;

    /** Frequent keys are searched among some of the updates, at random distances, because data may be periodic. */
    private static final int LONGEST_DISTANCE = 64;

    private static final int RECENT = GrowthBound.CHECKED_UPDATES;

    /** A combiner of this size is large. */
    private static final long LARGE_COMBINER_BYTES = 256 << 10;

    private static final int MOST_LARGE_KEYS = 256;

    private final Entries entries;
    private final WalkedBytes walked;
    private final Reservoir keys = new Reservoir(MOST_ELEMENTS, 1);
    private final FrequentKeys frequent = new FrequentKeys();
    private final Set<@Nullable Object> large = new HashSet<>();
    private final SplittableRandom random = new SplittableRandom(2);
    private final @Nullable Object[] recent = new @Nullable Object[RECENT];
    /** Where the next key goes in the array, which is full after its first round. */
    private int nextRecent;

    private boolean isRecentFull;
    private int distance = 1;

    /** How many bytes must be allocated before recent combiners are measured again. */
    private long owedBytes;

    EntrySample(Entries entries, WalkedBytes walked) {
        this.entries = entries;
        this.walked = walked;
    }

    @Override
    public void add(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew) {
        if (isNew) {
            keys.offer(key);
        }
        if (--distance == 0) {
            frequent.add(key);
            distance = 1 + random.nextInt(LONGEST_DISTANCE);
        }
        recent[nextRecent] = key;
        nextRecent = (nextRecent + 1) % RECENT;
        isRecentFull |= nextRecent == 0;
    }

    @Override
    public void addLarge(long bytes) {
        owedBytes -= bytes;
        if (owedBytes > 0 || large.size() >= MOST_LARGE_KEYS) {
            return;
        }
        Set<@Nullable Object> latest = new HashSet<>();
        latest.addAll(Arrays.asList(recent).subList(0, isRecentFull ? RECENT : nextRecent));
        latest.removeAll(large);
        latest.removeAll(frequent.keys());
        owedBytes = 0;
        for (Object key : latest) {
            long ofCombiner = walked.walk().applyAsLong(new Object[] {entries.combiner(key)});
            owedBytes += 4 * ofCombiner;
            if (ofCombiner >= LARGE_COMBINER_BYTES) {
                large.add(key);
            }
        }
    }

    @Override
    public long measure(boolean thoroughly) {
        Set<@Nullable Object> known = new HashSet<>(frequent.keys());
        known.addAll(large);
        List<@Nullable Object> ofKnown = new ArrayList<>();
        for (Object key : known) {
            addEntry(ofKnown, key);
        }
        List<@Nullable Object> sample = new ArrayList<>();
        for (Object key : keys.sample(Sample.elements(thoroughly, entries.count(), ENTRIES))) {
            if (!known.contains(key)) {
                addEntry(sample, key);
            }
        }
        return walked.extrapolated(ofKnown, sample, 2, (long) entries.count() - known.size());
    }

    private void addEntry(List<@Nullable Object> objects, @Nullable Object key) {
        objects.add(key);
        objects.add(entries.combiner(key));
    }
}
