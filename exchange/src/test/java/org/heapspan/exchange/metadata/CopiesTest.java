package org.heapspan.exchange.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class CopiesTest {
    private static final int PAGE = Chunks.PAGE_BYTES;

    private final List<Long> freed = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> evicted = Collections.synchronizedList(new ArrayList<>());
    private Runnable whenFreed = () -> {};
    private final Copies copies = new Copies(3 * PAGE, 2 * PAGE, new Copies.Store() {
        @Override
        public void free(long address, long sizeBytes) {
            freed.add(address);
            whenFreed.run();
        }

        @Override
        public void evicted(long[] addresses) {
            for (long each : addresses) {
                evicted.add(each);
            }
        }
    });

    /** Whose sessions these copies are used by. */
    private final Metadata metadata = new Metadata(
            new Chunks(64 << 10),
            5,
            new GroupStore() {
                @Override
                public void free(long address, long sizeBytes) {}

                @Override
                public void drop(long chunk) {}
            },
            new Metadata.Limits(1, 0, 1, 9),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            KeyLog.NONE,
            System::nanoTime);

    private static GroupDescription group(long address) {
        return new GroupDescription(address, PAGE, 1, false, "T", 0);
    }

    private static void refused(RefusalCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private boolean begins(long address) {
        try {
            return copies.beginUse(group(address));
        } catch (RefusedException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void fetch(long address) throws Exception {
        assertThat(copies.beginUse(group(address))).isTrue();
        copies.fetched(group(address));
        copies.endUse(address);
    }

    @Test
    void theCopyThatWasUsedLeastRecentlyMakesRoom() throws Exception {
        fetch(1);
        fetch(2);
        fetch(3);
        assertThat(copies.beginUse(group(1))).isFalse();
        copies.endUse(1);
        fetch(4);
        assertThat(evicted).containsExactly(2L);
        assertThat(freed).containsExactly(2L);
        assertThat(copies.count()).isEqualTo(3);
        assertThat(copies.usedBytes()).isEqualTo(3 * PAGE);
    }

    @Test
    void copiesThatNobodyUsesMakeRoomOnAFullDevice() throws Exception {
        Session session = metadata.open("c");
        fetch(1);
        fetch(2);
        fetch(3);
        assertThat(copies.beginUse(group(1))).isFalse();
        copies.lease(session, 1);
        copies.endUse(1);
        assertThat(copies.dropUnused(1)).isTrue();
        assertThat(evicted).containsExactly(2L);
        assertThat(copies.dropUnused(5 * PAGE))
                .as("too little, so that all of it stays")
                .isFalse();
        assertThat(freed).containsExactly(2L);
        assertThat(copies.dropUnused(PAGE)).isTrue();
        assertThat(freed).containsExactly(2L, 3L);
        assertThat(copies.dropUnused(1)).isFalse();
        assertThat(copies.usedBytes()).isEqualTo(PAGE);
        copies.release(session, 1);
        assertThat(copies.dropUnused(1)).isTrue();
        assertThat(copies.count()).isZero();
    }

    @Test
    void whatIsUsedStays() throws Exception {
        Session session = metadata.open("c");
        for (long address = 1; address <= 3; address++) {
            assertThat(copies.beginUse(group(address))).isTrue();
            copies.fetched(group(address));
            copies.lease(session, address);
            copies.endUse(address);
        }
        refused(RefusalCode.FULL, () -> copies.beginUse(group(4)));
        copies.freed(2);
        assertThat(freed).isEmpty();
        assertThat(copies.leased(session, 2).address()).isEqualTo(2);
        assertThat(copies.release(session, -2)).isZero();
        assertThat(copies.release(session, 2)).isEqualTo(2);
        assertThat(copies.release(session, 2)).isZero();
        assertThat(freed).containsExactly(2L);
        refused(RefusalCode.GROUP_GONE, () -> copies.leased(session, 2));
        refused(RefusalCode.GROUP_GONE, () -> copies.use(2));
        fetch(4);
        assertThat(copies.end(session)).containsExactlyInAnyOrder(1L, 3L);
        copies.freed(1, 3, 4, 77);
        assertThat(copies.count()).isZero();
        assertThat(copies.usedBytes()).isZero();
        assertThat(evicted).isEmpty();
    }

    @Test
    void aTransferThatFailsIsMadeByTheNextWhoWaits() throws Exception {
        assertThat(copies.beginUse(group(1))).isTrue();
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> begins(1));
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(waiting).isNotDone();
        refused(RefusalCode.GROUP_GONE, () -> copies.use(1));
        copies.endUse(1);
        assertThat(waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        copies.fetched(group(1));
        copies.endUse(1);
        assertThat(copies.use(1).address()).isEqualTo(1);
        copies.endUse(1);
    }

    @Test
    void aClientPopulatesOnlySomeOfIt() throws Exception {
        Session session = metadata.open("c");
        copies.reserve(session, 1, PAGE);
        copies.reserve(session, 2, PAGE);
        refused(RefusalCode.LIMIT, () -> copies.reserve(session, 3, PAGE));
        refused(RefusalCode.GROUP_GONE, () -> copies.reservedBytes(metadata.open("d"), 1));
        // The server has committed it, so that others know of it before this keeper does.
        CompletableFuture<Boolean> reader = CompletableFuture.supplyAsync(() -> begins(1));
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(reader).isNotDone();
        copies.commit(session, group(1));
        assertThat(reader.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isFalse();
        copies.endUse(1);
        assertThat(copies.isUsed(PAGE + 1, 2 * PAGE)).isTrue();
        assertThat(copies.isUsed(PAGE + 2, 2 * PAGE)).isFalse();
        copies.lease(session, 1);
        copies.endUse(1);
        copies.reserve(session, 3, PAGE);
        assertThat(copies.release(session, 3)).isEqualTo(-3L);
        assertThat(freed).containsExactly(3L);
        assertThat(copies.end(session)).containsExactlyInAnyOrder(1L, -2L);
        metadata.end(session);
        refused(RefusalCode.GROUP_GONE, () -> copies.reserve(session, 4, PAGE));
        fetch(5);
        refused(RefusalCode.GROUP_GONE, () -> copies.lease(session, 5));
    }

    /** Two connections of a client reserve at the same time: the second one while the first one waits for room. */
    @Test
    void aClientReservesNoMoreWhileItsOtherConnectionWaitsForRoom() throws Exception {
        fetch(1);
        fetch(2);
        fetch(3);
        Session session = metadata.open("c");
        List<RefusalCode> refusals = new ArrayList<>();
        whenFreed = () -> {
            whenFreed = () -> {};
            try {
                copies.reserve(session, 5, PAGE);
                copies.reserve(session, 6, PAGE);
            } catch (RefusedException e) {
                refusals.add(e.code());
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        copies.reserve(session, 4, PAGE);
        assertThat(refusals).containsExactly(RefusalCode.LIMIT);
        assertThat(copies.end(session)).containsExactlyInAnyOrder(-4L, -5L);
        copies.freed(1, 2, 3);
        assertThat(copies.usedBytes()).isZero();
    }

    @Test
    void whatHasNoRoomIsNotCounted() throws Exception {
        Session other = metadata.open("other");
        copies.reserve(other, 1, PAGE);
        copies.reserve(other, 2, PAGE);
        Session session = metadata.open("c");
        refused(RefusalCode.FULL, () -> copies.reserve(session, 3, 2 * PAGE));
        copies.end(other);
        copies.reserve(session, 4, PAGE);
        refused(RefusalCode.GROUP_GONE, () -> copies.reserve(session, 4, PAGE));
        copies.reserve(session, 5, PAGE);
        refused(RefusalCode.LIMIT, () -> copies.reserve(session, 6, PAGE));
        copies.end(session);
        assertThat(copies.usedBytes()).isZero();
    }

    /** Its end may come while it waits for room. */
    @Test
    void aSessionThatEndsMeanwhileReservesNothing() throws Exception {
        fetch(1);
        fetch(2);
        fetch(3);
        Session session = metadata.open("c");
        whenFreed = () -> {
            metadata.end(session);
            copies.end(session);
        };
        refused(RefusalCode.GROUP_GONE, () -> copies.reserve(session, 4, PAGE));
        copies.freed(1, 2, 3);
        assertThat(copies.usedBytes()).isZero();
    }

    /** Threads use, lease and free more groups than there is room for. At the end nothing is left. */
    @Test
    void manyThreadsLeaveNothingBehind() throws Exception {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Random random = new Random(i);
            Session session = metadata.open("c" + i);
            threads.add(CompletableFuture.runAsync(
                    () -> {
                        for (int round = 0; round < 5_000; round++) {
                            use(session, 1 + random.nextInt(6), random);
                        }
                        copies.end(session);
                    },
                    Threads.FOR_EACH));
        }
        for (CompletableFuture<Void> each : threads) {
            each.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        }
        copies.freed(1, 2, 3, 4, 5, 6);
        assertThat(copies.count()).isZero();
        assertThat(copies.usedBytes()).isZero();
    }

    private void use(Session session, long address, Random random) {
        try {
            if (copies.beginUse(group(address)) && random.nextInt(5) > 0) {
                copies.fetched(group(address));
            }
            try {
                copies.lease(session, address);
                if (random.nextInt(20) == 0) {
                    copies.freed(address);
                }
                copies.release(session, address);
            } finally {
                copies.endUse(address);
            }
        } catch (RefusedException e) {
            // Full, because others use all of it, or a transfer that this thread lets fail.
            assertThat(e.code()).isIn(RefusalCode.FULL, RefusalCode.GROUP_GONE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
