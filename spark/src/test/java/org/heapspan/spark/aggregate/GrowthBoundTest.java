package org.heapspan.spark.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.heapspan.CombinerSizes.Entries;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** With combiners that say how large they are, and allocation that is told. */
final class GrowthBoundTest {
    private static final long MEGABYTE = 1 << 20;

    private final Map<@Nullable Object, Object> map = new HashMap<>();
    private long allocatedBytes;
    private int walks;
    private int combiners;

    private final GrowthBound bound = new GrowthBound(
            new Entries() {
                @Override
                public int count() {
                    return map.size();
                }

                @Override
                public @Nullable Object combiner(@Nullable Object key) {
                    return map.get(key);
                }
            },
            0,
            this::walk,
            () -> allocatedBytes);

    private record Combiner(long sizeBytes) {}

    private long walk(Object array) {
        int before = combiners;
        long bytes = bytes((Object[]) array);
        walks += combiners == before ? 0 : 1;
        return bytes;
    }

    private long bytes(Object[] array) {
        long bytes = 8L * array.length;
        for (Object each : array) {
            if (each instanceof Combiner combiner) {
                bytes += combiner.sizeBytes();
                combiners++;
            } else if (each instanceof Object[] part) {
                bytes += bytes(part);
            }
        }
        return bytes;
    }

    /** As a task does for each value. */
    private long combine(Object key, long combinerBytes, long allocated, long roomBytes) {
        long bytes = bound.bytes(roomBytes);
        boolean isNew = map.put(key, new Combiner(combinerBytes)) == null;
        allocatedBytes += allocated;
        bound.combined(key, "value", map.get(key), isNew);
        return bytes;
    }

    @Test
    void aMapInARoomyHeapIsHardlyEverWalkedThrough() {
        for (int i = 0; i < 100_000; i++) {
            combine(i % 1000, 40, 100, 100 * MEGABYTE);
        }
        // At 32, 128, 512 ... values; each time once with frequent keys, and twice without them.
        assertThat(walks).isBetween(6, 3 * 6);
    }

    @Test
    void growthIsNoticedBeforeTheRoomIsFull() {
        long roomBytes = 5 * MEGABYTE;
        long told = 0;
        int count = 0;
        while (told < roomBytes) {
            told = combine(count++, 1000, 1100, roomBytes);
            assertThat((count - GrowthBound.CHECKED_UPDATES) * 1000L)
                    .as("%d values, told of %d bytes", count, told)
                    .isLessThan(roomBytes);
        }
        assertThat(told).isEqualTo(roomBytes);
        assertThat(count * 1000L).as("not much too early").isGreaterThan(roomBytes * 7 / 10);
    }

    @Test
    void garbageIsNotTakenForMemoryInUse() {
        for (int i = 0; i < 500_000; i++) {
            assertThat(combine(i % 100, 24, 200, 5 * MEGABYTE)).isLessThan(MEGABYTE);
        }
        assertThat(walks).as("once for 4 MB of garbage").isLessThan(100);
    }

    @Test
    void whatWasThereBeforeCountsAsWell() {
        long told = 0;
        int count = 0;
        while (told < 5 * MEGABYTE && count < 100_000) {
            told = combine(count++, 1000, 0, 5 * MEGABYTE);
        }
        assertThat(count * 1000L).isBetween(3 * MEGABYTE, 7 * MEGABYTE);
    }

    @Test
    void oneKeyWithMostOfTheMemoryIsSeenAmongThousands() {
        long told = 0;
        int large = 0;
        int count = 0;
        while (told < 20 * MEGABYTE && count < 500_000) {
            boolean isLarge = count % 10 != 0;
            large += isLarge ? 1 : 0;
            told = combine(isLarge ? "large" : (Object) count, isLarge ? large * 100L : 100, 150, 20 * MEGABYTE);
            count++;
        }
        assertThat(large * 100L).isBetween(12 * MEGABYTE, 21 * MEGABYTE);
    }

    @Test
    void fewLargeCombinersAmongThousandsAreSeen() {
        long told = 0;
        int large = 0;
        for (int count = 0; told < 100 * MEGABYTE && count < 200_000; count++) {
            boolean isLarge = count % 1000 == 500;
            large += isLarge ? 1 : 0;
            told = combine(count, isLarge ? 10 * MEGABYTE : 50, isLarge ? 10 * MEGABYTE : 100, 100 * MEGABYTE);
        }
        assertThat(large).isLessThan(40);
    }
}
