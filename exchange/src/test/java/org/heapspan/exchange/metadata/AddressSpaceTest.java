package org.heapspan.exchange.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class AddressSpaceTest {
    private static final int CHUNK = 64 << 10;
    private final Chunks chunks = new Chunks(CHUNK);
    private final AddressSpace space = new AddressSpace(chunks, 5);

    @Test
    void groupsFollowEachOtherInWholePages() {
        assertThat(space.allocate(1)).isEqualTo(5L * CHUNK);
        assertThat(space.allocate(4097)).isEqualTo(5L * CHUNK + 4096);
        assertThat(space.allocate(1)).isEqualTo(5L * CHUNK + 3 * 4096);
    }

    @Test
    void aGroupThatDoesNotFitBeginsAChunk() {
        space.allocate(CHUNK - 4096);
        assertThat(space.allocate(4097)).isEqualTo(6L * CHUNK);
        assertThat(space.allocate(3L * CHUNK)).isEqualTo(7L * CHUNK);
        assertThat(space.allocate(1)).isEqualTo(10L * CHUNK);
    }

    @Test
    void aChunkIsUsedWhileAGroupIsInIt() {
        long small = space.allocate(1);
        long large = space.allocate(2L * CHUNK);
        space.free(small, 1);
        assertThat(space.isUsed(5)).isFalse();
        assertThat(space.isUsed(6)).isTrue();
        assertThat(space.isUsed(7)).isTrue();
        space.free(large, 2L * CHUNK);
        assertThat(space.isUsed(6)).isFalse();
        assertThat(space.isUsed(7)).isFalse();
    }

    @Test
    void aChunkThatIsGivenBackGetsNoOtherGroup() {
        space.free(space.allocate(1), 1);
        assertThat(space.allocate(1)).isEqualTo(6L * CHUNK);
    }

    /** Against a list of what is in use. */
    @Test
    void noByteBelongsToTwoGroupsAndNoAddressComesTwice() {
        long seed = 20_261_125L;
        Random random = new Random(seed);
        Map<Long, Long> live = new HashMap<>();
        long last = 0;
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(3) > 0 || live.isEmpty()) {
                int length = 1 + random.nextInt(random.nextInt(10) == 0 ? 5 * CHUNK : 20_000);
                long address = space.allocate(length);
                assertThat(address)
                        .as("seed %d", seed)
                        .isGreaterThanOrEqualTo(last)
                        .isGreaterThan(0);
                last = address + Chunks.pages(length);
                live.put(address, (long) length);
            } else {
                long address = live.keySet().iterator().next();
                space.free(address, live.remove(address));
            }
            if (i % 1000 == 0) {
                checkUse(live);
            }
        }
        checkUse(live);
    }

    private void checkUse(Map<Long, Long> live) {
        Map<Long, Boolean> used = new HashMap<>();
        live.forEach((address, length) -> {
            for (long chunk = chunks.number(address); chunk <= chunks.number(address + length - 1); chunk++) {
                used.put(chunk, true);
            }
        });
        for (long chunk = 5; chunk < 5 + 10_000; chunk++) {
            assertThat(space.isUsed(chunk)).as("chunk %d", chunk).isEqualTo(used.containsKey(chunk));
        }
    }
}
