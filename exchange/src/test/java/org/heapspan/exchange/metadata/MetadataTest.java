package org.heapspan.exchange.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.KeyDescription;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class MetadataTest {
    private static final int CHUNK = 64 << 10;
    private static final long CAPACITY = 1 << 20;
    private static final Deadline NOW = Deadline.afterMillis(0);

    private final List<Long> freed = new ArrayList<>();
    private final List<Long> dropped = new ArrayList<>();
    private final GroupStore store = new GroupStore() {
        @Override
        public void free(long address, long sizeBytes) {
            freed.add(address);
        }

        @Override
        public void drop(long chunk) {
            dropped.add(chunk);
        }
    };
    private final Log log = new Log();

    /** The time of the server, which passes when a test says so. */
    private long nanos = -5;

    private final Metadata metadata = new Metadata(
            new Chunks(CHUNK),
            5,
            store,
            new Metadata.Limits(CAPACITY, 0, CAPACITY / 2, 2),
            Duration.ofMillis(300),
            Duration.ofMillis(300),
            log,
            () -> nanos);

    /** Takes down what it is told, as long as a test lets it. */
    private static final class Log implements KeyLog {
        final List<KeyRecord> records = new ArrayList<>();
        final List<KeyRecord> formers = new ArrayList<>();
        final List<Long> written = new ArrayList<>();
        final List<Long> abandoned = new ArrayList<>();

        /** All changes, if it takes groups too. */
        final List<Change> changes = new ArrayList<>();

        boolean takesGroups;
        boolean isFull;
        boolean areOthersFull;
        boolean isBroken;
        Runnable whileWritten = () -> {};
        long safe = Long.MAX_VALUE;

        @Override
        public void written(long address, long sizeBytes, int checksum) throws IOException {
            whileWritten.run();
            if (areOthersFull) {
                throw new FullException("only 1 of 3 servers has them");
            }
            written.add(address);
        }

        @Override
        public void abandoned(long address) {
            abandoned.add(address);
        }

        @Override
        public boolean takesGroups() {
            return takesGroups;
        }

        @Override
        public long add(Change change, @Nullable KeyRecord former, @Nullable UUID number) throws IOException {
            if (isFull) {
                throw new IOException("no space left");
            }
            changes.add(change);
            if (change instanceof Change.OfKey key) {
                records.add(key.record());
                formers.add(former);
            }
            return last();
        }

        @Override
        public void await(long change) throws IOException {
            if (isBroken) {
                throw new IOException("no device");
            }
        }

        @Override
        public long last() {
            return changes.size();
        }

        @Override
        public boolean isSafe(long change) {
            return change <= safe;
        }
    }

    private void pass(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static Request.Commit commit(long address, String key, long replaced) {
        return new Request.Commit(address, 100, 1, false, true, false, key, replaced, "T");
    }

    private static void refused(RefusalCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private long put(Session session, String key) throws RefusedException {
        long address = metadata.reserve(session, 100);
        metadata.commit(session, commit(address, key, 0));
        return address;
    }

    @Test
    void aGroupIsVisibleWhenItIsCommitted() throws Exception {
        Session session = metadata.open("a client");
        long address = metadata.reserve(session, 100);
        refused(RefusalCode.KEY_MISSING, () -> metadata.locate(session, "k", NOW));
        refused(RefusalCode.GROUP_GONE, () -> metadata.locate(session, address, false));
        assertThat(metadata.commit(session, commit(address, "k", 0))).isEqualTo(1);
        assertThat(metadata.locate(session, "k", NOW).address()).isEqualTo(address);
        assertThat(metadata.locate(session, address, false).sizeBytes()).isEqualTo(100);
    }

    @Test
    void onlyWhoHasReservedCommitsAndNoMoreThanThat() throws Exception {
        Session session = metadata.open("a client");
        Session other = metadata.open("a client");
        long address = metadata.reserve(session, 99);
        refused(RefusalCode.GROUP_GONE, () -> metadata.commit(other, commit(address, "k", 0)));
        refused(RefusalCode.LIMIT, () -> metadata.commit(session, commit(address, "k", 0)));
        refused(RefusalCode.LIMIT, () -> metadata.reserve(session, 0));
        refused(RefusalCode.LIMIT, () -> metadata.reserve(session, -1));
    }

    @Test
    void aKeyIsCommittedOnceOrReplacedByVersion() throws Exception {
        Session session = metadata.open("a client");
        long first = put(session, "k");
        long second = metadata.reserve(session, 100);
        refused(RefusalCode.KEY_EXISTS, () -> metadata.commit(session, commit(second, "k", 0)));
        refused(RefusalCode.OTHER_VERSION, () -> metadata.commit(session, commit(second, "k", 2)));
        refused(RefusalCode.OTHER_VERSION, () -> metadata.commit(session, commit(second, "new", 1)));
        assertThat(metadata.commit(session, commit(second, "k", 1))).isEqualTo(2);
        assertThat(freed).containsExactly(first);
        assertThat(metadata.locate(session, "k", NOW).version()).isEqualTo(2);
    }

    @Test
    void aGroupLivesWhileAKeyOrALeaseRefersToIt() throws Exception {
        Session session = metadata.open("a client");
        Session reader = metadata.open("a client");
        long address = put(session, "k");
        metadata.locate(reader, "k", NOW);
        metadata.locate(reader, address, false);
        metadata.remove("k", 0);
        metadata.release(reader, new long[] {address});
        assertThat(freed).isEmpty();
        assertThat(metadata.leased(reader, address).sizeBytes()).isEqualTo(100);
        metadata.release(reader, new long[] {address, address});
        assertThat(freed).containsExactly(address);
        assertThat(dropped).containsExactly(5L);
        assertThat(metadata.usedBytes()).isZero();
        refused(RefusalCode.GROUP_GONE, () -> metadata.leased(reader, address));
        refused(RefusalCode.GROUP_GONE, () -> metadata.locate(reader, address, false));
    }

    @Test
    void anAddressInsideOfAGroupIsNamed() throws Exception {
        Session session = metadata.open("a client");
        long address = put(session, "k");
        assertThatThrownBy(() -> metadata.locate(session, address + 1, false))
                .hasMessageContaining("inside of the group at 0x" + Long.toHexString(address));
    }

    @Test
    void whoEndsGivesEverythingBack() throws Exception {
        Session session = metadata.open("a client");
        long kept = put(session, "k");
        long published = put(session, "");
        long reserved = metadata.reserve(session, 5000);
        metadata.end(session);
        assertThat(freed).containsExactlyInAnyOrder(published, reserved);
        assertThat(metadata.stat("k")).hasSize(1);
        assertThat(metadata.groupCount()).isEqualTo(1);
        refused(RefusalCode.GROUP_GONE, () -> metadata.reserve(session, 1));
        assertThat(metadata.join(session.token())).isNull();
        metadata.remove("k", 1);
        assertThat(freed).contains(kept);
    }

    @Test
    void aSessionWithoutConnectionsEndsAfterItsLease() throws Exception {
        Session session = metadata.open("a client");
        put(session, "");
        assertThat(metadata.join(session.token())).isSameAs(session);
        metadata.leave(session);
        pass(301);
        metadata.expire();
        assertThat(freed).isEmpty();
        metadata.leave(session);
        pass(299);
        metadata.expire();
        assertThat(freed).isEmpty();
        pass(301);
        metadata.expire();
        assertThat(freed).hasSize(1);
        assertThat(metadata.sessionCount()).isZero();
    }

    @Test
    void aGroupThatIsHandedOverIsTakenOnce() throws Exception {
        Session sender = metadata.open("a client");
        Session receiver = metadata.open("a client");
        long address = metadata.reserve(sender, 100);
        metadata.commit(sender, new Request.Commit(address, 100, 1, false, true, true, "", 0, "T"));
        metadata.end(sender);
        assertThat(freed).isEmpty();
        assertThat(metadata.locate(receiver, address, true).address()).isEqualTo(address);
        refused(RefusalCode.GROUP_GONE, () -> metadata.locate(receiver, address, true));
        metadata.release(receiver, new long[] {address});
        assertThat(freed).containsExactly(address);
    }

    @Test
    void aHandOverEnds() throws Exception {
        Session sender = metadata.open("a client");
        long address = metadata.reserve(sender, 100);
        metadata.commit(sender, new Request.Commit(address, 100, 1, false, true, true, "", 0, "T"));
        pass(299);
        metadata.expire();
        assertThat(freed).isEmpty();
        pass(2);
        metadata.expire();
        assertThat(freed).containsExactly(address);
    }

    @Test
    void fullMemoryIsRefusedAndUsableAgain() throws Exception {
        Session session = metadata.open("a client");
        Session other = metadata.open("a client");
        long half = metadata.reserve(session, CAPACITY / 2);
        metadata.reserve(other, CAPACITY / 2);
        assertThatThrownBy(() -> metadata.reserve(session, 1))
                .hasMessageContaining("1048576 of 1048576 bytes are in use");
        refused(RefusalCode.FULL, () -> metadata.reserve(session, Long.MAX_VALUE));
        metadata.release(session, new long[] {half});
        metadata.reserve(session, 1);
    }

    @Test
    void aClientHasLimitsOfItsOwn() throws Exception {
        Session session = metadata.open("a client");
        assertThat(metadata.join(session.token())).isSameAs(session);
        refused(RefusalCode.BUSY, () -> metadata.join(session.token()));
        metadata.leave(session);
        assertThat(metadata.join(session.token())).isSameAs(session);

        long half = metadata.reserve(session, CAPACITY / 2);
        refused(RefusalCode.LIMIT, () -> metadata.reserve(session, 1));
        metadata.commit(session, commit(half, "k", 0));
        // It is of the key now, and does not come back to the client with it.
        long next = metadata.reserve(session, CAPACITY / 2);
        metadata.remove("k", 0);
        refused(RefusalCode.LIMIT, () -> metadata.reserve(session, 1));
        metadata.release(session, new long[] {next});
        metadata.reserve(session, CAPACITY / 2);
    }

    @Test
    void whoWaitsGetsWhatIsCommitted() throws Exception {
        Session session = metadata.open("a client");
        CompletableFuture<Long> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return metadata.locate(session, "k", Deadline.afterMillis(2 * Eventually.MOST_MILLIS))
                        .address();
            } catch (RefusedException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        TimeUnit.MILLISECONDS.sleep(30);
        long address = put(session, "k");
        assertThat(waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isEqualTo(address);
    }

    @Test
    void closingWakesWhoWaits() throws Exception {
        Session session = metadata.open("a client");
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return metadata.locate(session, "k", Deadline.afterMillis(2 * Eventually.MOST_MILLIS))
                        .typeName();
            } catch (RefusedException e) {
                return e.code().name();
            } catch (InterruptedException e) {
                return "interrupted";
            }
        });
        TimeUnit.MILLISECONDS.sleep(30);
        metadata.close();
        assertThat(waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isEqualTo("CLOSING");
    }

    @Test
    void keysAreListedInPages() throws Exception {
        Session session = metadata.open("a client");
        String longPart = "x".repeat(1000);
        for (int i = 100; i < 250; i++) {
            put(session, "a/" + i + longPart);
        }
        put(session, "b");
        List<String> found = new ArrayList<>();
        String after = "";
        int pages = 0;
        for (List<KeyDescription> next = metadata.list("a/", after);
                !next.isEmpty();
                next = metadata.list("a/", after)) {
            next.forEach(key -> found.add(key.key()));
            after = found.get(found.size() - 1);
            pages++;
        }
        assertThat(found).hasSize(150).isSorted().doesNotHaveDuplicates().doesNotContain("b");
        assertThat(pages).isGreaterThan(1);
        assertThat(metadata.list("", "")).isNotEmpty();
    }

    @Test
    void keysAreShortPlainTexts() throws Exception {
        Session session = metadata.open("a client");
        long address = metadata.reserve(session, 100);
        refused(RefusalCode.LIMIT, () -> metadata.commit(session, commit(address, "\u00e4".repeat(513), 0)));
        refused(RefusalCode.LIMIT, () -> metadata.commit(session, commit(address, "a\nb", 0)));
        metadata.commit(session, commit(address, "\u00e4".repeat(512), 0));
    }

    @Test
    void anOverviewHasChunksAndClients() throws Exception {
        Session session = metadata.open("here");
        put(session, "k");
        metadata.reserve(session, 2 * CHUNK);
        pass(1_500);
        Overview overview = metadata.overview(10);
        assertThat(overview.reserved()).isEqualTo(1);
        assertThat(overview.chunkCount()).isEqualTo(3);
        assertThat(overview.chunks().get(0)).isEqualTo(new Overview.Chunk(5, 1, Chunks.PAGE_BYTES));
        assertThat(overview.chunks().get(2)).isEqualTo(new Overview.Chunk(7, 1, CHUNK));
        assertThat(overview.clients()).containsExactly(new Overview.Client("here", 1, 0, 2 * CHUNK, true, 1_500));
        assertThat(overview.keys()).extracting(KeyDescription::key).containsExactly("k");
        assertThat(metadata.overview(1).chunks()).hasSize(1);
        metadata.end(session);
        assertThat(metadata.overview(10).chunks()).containsExactly(new Overview.Chunk(5, 1, Chunks.PAGE_BYTES));
    }

    @Test
    void aKeyChangesOnlyIfThatCouldBeTakenDown() throws Exception {
        Session session = metadata.open("a client");
        long first = put(session, "k");
        assertThat(log.records)
                .extracting(KeyRecord::name, KeyRecord::reservedBytes)
                .containsExactly(tuple("k", 100L));
        log.isFull = true;
        long second = metadata.reserve(session, 100);
        refused(RefusalCode.STORAGE, () -> metadata.commit(session, commit(second, "k", 1)));
        refused(RefusalCode.STORAGE, () -> metadata.remove("k", 0));
        assertThat(metadata.locate(session, "k", Deadline.afterMillis(0)).address())
                .isEqualTo(first);
        log.isFull = false;
        assertThat(metadata.commit(session, commit(second, "k", 1))).isEqualTo(2);
        metadata.remove("k", 2);
        assertThat(log.records).hasSize(3);
        assertThat(log.records.get(2).group()).isNull();
        assertThat(log.formers).containsExactly(null, log.records.get(0), log.records.get(1));
    }

    /** A crash of the host may undo the change, and the key leads to the former group again. */
    @Test
    void spaceIsGivenBackWhenTheChangeIsSafe() throws Exception {
        log.safe = 1;
        Session session = metadata.open("a client");
        long first = put(session, "k");
        long second = metadata.reserve(session, 100);
        metadata.commit(session, commit(second, "k", 1));
        metadata.expire();
        assertThat(freed).isEmpty();
        log.safe = 2;
        metadata.expire();
        assertThat(freed).containsExactly(first);
        metadata.remove("k", 0);
        assertThat(freed).hasSize(1);
        log.safe = 3;
        metadata.expire();
        assertThat(freed).containsExactly(first, second);
    }

    @Test
    void aKeyWhoseBytesHaveNoRoomAtOthersDoesNotChange() throws Exception {
        Session session = metadata.open("a client");
        log.areOthersFull = true;
        long address = metadata.reserve(session, 100);
        refused(RefusalCode.FULL, () -> metadata.commit(session, commit(address, "k", 0)));
        assertThat(metadata.keys()).isEmpty();
        // The client may try again, at the same address.
        log.areOthersFull = false;
        assertThat(metadata.commit(session, commit(address, "k", 0))).isEqualTo(1);
        metadata.remove("k", 0);
        assertThat(freed).containsExactly(address);
        assertThat(log.abandoned).isEmpty();
    }

    @Test
    void bytesToWhichNoKeyWillLeadAreAbandonedWhenTheirClientGivesThemUp() throws Exception {
        Session session = metadata.open("a client");
        log.areOthersFull = true;
        long released = metadata.reserve(session, 100);
        refused(RefusalCode.FULL, () -> metadata.commit(session, commit(released, "k", 0)));
        metadata.release(session, new long[] {released});
        assertThat(log.abandoned).containsExactly(released);

        log.areOthersFull = false;
        log.isFull = true;
        long ofSession = metadata.reserve(session, 100);
        refused(RefusalCode.STORAGE, () -> metadata.commit(session, commit(ofSession, "k", 0)));
        long neverWritten = metadata.reserve(session, 100);
        metadata.end(session);
        assertThat(log.abandoned).containsExactly(released, ofSession);
        assertThat(freed).containsExactlyInAnyOrder(released, ofSession, neverWritten);
    }

    @Test
    void bytesOfASessionThatEndsWhileTheyAreWrittenAreAbandonedAfterwards() throws Exception {
        Session session = metadata.open("a client");
        long address = metadata.reserve(session, 100);
        List<Long> before = new ArrayList<>();
        log.whileWritten = () -> {
            metadata.end(session);
            before.addAll(log.abandoned);
            log.abandoned.clear();
        };
        refused(RefusalCode.GROUP_GONE, () -> metadata.commit(session, commit(address, "k", 0)));
        assertThat(before).containsExactly(address);
        assertThat(log.abandoned).containsExactly(address);
    }

    @Test
    void aChangeIsAnsweredWhenTheLogAllowsIt() throws Exception {
        Session session = metadata.open("a client");
        long address = metadata.reserve(session, 100);
        refused(RefusalCode.KEY_EXISTS, () -> {
            put(session, "other");
            metadata.commit(session, commit(address, "other", 0));
        });
        log.isBroken = true;
        refused(RefusalCode.STORAGE, () -> metadata.commit(session, commit(address, "k", 0)));
        assertThat(log.written).endsWith(address);
        refused(RefusalCode.STORAGE, () -> metadata.remove("other", 0));
        // No key leads there, or to those of a key that exists, so nobody needs the bytes later.
        metadata.commit(session, commit(metadata.reserve(session, 100), "", 0));
        assertThat(log.written).hasSize(2);
        assertThat(metadata.keys()).containsExactly(log.records.get(1));
    }

    // Copies and dependencies

    private Session keeper(int port) throws RefusedException {
        Session session = metadata.open("10.0.0.7:4567");
        metadata.join(session, port);
        return session;
    }

    @Test
    void keepersAreToldWhatIsFreedUntilTheyConfirmIt() throws Exception {
        Session writer = metadata.open("w");
        Session keeper = keeper(70);
        Session other = keeper(71);
        long address = put(writer, "k");
        metadata.addCopy(keeper, address);
        metadata.remove("k", 0);
        Reply.Freed news = metadata.awaitFreed(keeper, 0, NOW);
        assertThat(news.groups()).containsExactly(address);
        assertThat(metadata.awaitFreed(keeper, 0, NOW).groups()).containsExactly(address);
        Reply.Freed later = metadata.awaitFreed(keeper, news.last(), NOW);
        assertThat(later.groups()).isEmpty();
        assertThat(later.last()).isEqualTo(news.last());
        assertThat(metadata.awaitFreed(other, 0, NOW).groups()).isEmpty();
        // The chunk had no other group.
        assertThat(news.chunks()).containsExactly(address / CHUNK);
        assertThat(metadata.awaitFreed(other, 0, NOW).chunks()).containsExactly(address / CHUNK);
        refused(RefusalCode.GROUP_GONE, () -> metadata.addCopy(keeper, address));
        refused(RefusalCode.PROTOCOL, () -> metadata.addCopy(writer, address));
        refused(RefusalCode.PROTOCOL, () -> metadata.awaitFreed(writer, 0, NOW));
    }

    @Test
    void copiesAreFoundExceptForTheOwnOneAndThoseThatWereDropped() throws Exception {
        Session keeper = keeper(70);
        Session other = keeper(71);
        Session hidden = keeper(0);
        long address = put(keeper, "k");
        metadata.addCopy(keeper, address);
        metadata.addCopy(other, address);
        metadata.addCopy(hidden, address);
        refused(RefusalCode.GROUP_GONE, () -> metadata.findCopies(keeper, address));
        metadata.locate(keeper, "k", NOW);
        metadata.locate(other, "k", NOW);
        assertThat(metadata.findCopies(keeper, address).places()).containsExactly("heapspan://10.0.0.7:71");
        assertThat(metadata.findCopies(other, address).places()).containsExactly("heapspan://10.0.0.7:70");
        metadata.dropCopies(keeper, new long[] {address, 5});
        assertThat(metadata.findCopies(other, address).places()).isEmpty();
        metadata.end(other);
        assertThat(metadata.findCopies(keeper, address).places()).isEmpty();
        assertThat(metadata.overview(9).keepers()).hasSize(2);
    }

    @Test
    void aCopyThatNobodyHasIsDropped() throws Exception {
        Session keeper = keeper(70);
        long address = put(keeper, "k");
        metadata.dropCopies(keeper, new long[] {address});
        metadata.locate(keeper, "k", NOW);
        assertThat(metadata.findCopies(keeper, address).places()).isEmpty();
    }

    @Test
    void aKeeperThatIsSilentIsForgotten() throws Exception {
        Session keeper = keeper(70);
        long address = put(keeper, "k");
        metadata.addCopy(keeper, address);
        metadata.leave(keeper);
        pass(400);
        metadata.expire();
        assertThat(metadata.overview(9).keepers()).isEmpty();
        refused(RefusalCode.GROUP_GONE, () -> metadata.awaitFreed(keeper, 0, NOW));
    }

    @Test
    void groupsLiveAsLongAsThoseThatNeedThem() throws Exception {
        Session writer = metadata.open("w");
        Session keeper = keeper(70);
        long last = 0;
        int count = 100;
        for (int i = 0; i < count; i++) {
            long next = metadata.reserve(writer, 100);
            if (last != 0) {
                metadata.depend(writer, next, new long[] {last});
                metadata.release(writer, new long[] {last});
            }
            metadata.commit(writer, commit(next, "", 0));
            last = next;
        }
        assertThat(metadata.groupCount()).isEqualTo(count);
        metadata.locate(keeper, last, false);
        assertThat(metadata.findCopies(keeper, last).needed()).hasSize(count - 1);
        metadata.release(writer, new long[] {last});
        assertThat(metadata.groupCount()).isEqualTo(count);
        metadata.end(keeper);
        assertThat(metadata.groupCount()).isZero();
        assertThat(metadata.usedBytes()).isZero();
    }

    @Test
    void whatIsAbandonedNeedsNothingAnyMore() throws Exception {
        Session writer = metadata.open("w");
        long needed = put(writer, "k");
        long address = metadata.reserve(writer, 10);
        metadata.depend(writer, address, new long[] {needed});
        refused(RefusalCode.GROUP_GONE, () -> metadata.depend(writer, address, new long[] {needed, 77}));
        refused(RefusalCode.LIMIT, () -> metadata.depend(writer, address, new long[1_000]));
        metadata.remove("k", 0);
        assertThat(metadata.groupCount()).isEqualTo(2);
        metadata.release(writer, new long[] {address});
        assertThat(metadata.groupCount()).isZero();
    }

    // What several servers have in common

    private long publish(Session session, long... needed) throws RefusedException {
        long address = metadata.reserve(session, 100);
        metadata.depend(session, address, needed);
        metadata.commit(session, commit(address, "", 0));
        return address;
    }

    private GroupRecord added(int change) {
        return ((Change.GroupAdded) log.changes.get(change)).group();
    }

    private Change last() {
        return log.changes.get(log.changes.size() - 1);
    }

    @Test
    void groupsWithoutKeysAreTakenDownUntilNobodyNeedsThem() throws Exception {
        log.takesGroups = true;
        Session session = metadata.open("a client");
        long needed = publish(session);
        long needing = publish(session, needed);
        assertThat(log.written).containsExactly(needed, needing);
        assertThat(added(0).needed()).isEmpty();
        assertThat(added(1).address()).isEqualTo(needing);
        assertThat(added(1).needed()).containsExactly(needed);
        metadata.release(session, new long[] {needed});
        assertThat(log.changes).hasSize(2);
        log.safe = 3;
        metadata.release(session, new long[] {needing});
        assertThat(log.changes.subList(2, 4))
                .containsExactly(new Change.GroupFreed(needing), new Change.GroupFreed(needed));
        // A server that has not heard that a group is freed may lead next.
        assertThat(freed).containsExactly(needing);
        log.safe = 4;
        metadata.expire();
        assertThat(freed).containsExactly(needing, needed);
    }

    @Test
    void theFormerGroupOfAKeyStaysForThoseWhoNeedIt() throws Exception {
        log.takesGroups = true;
        Session session = metadata.open("a client");
        long first = put(session, "k");
        long needing = metadata.reserve(session, 100);
        metadata.depend(session, needing, new long[] {first});
        metadata.commit(session, commit(needing, "l", 0));
        assertThat(last()).isEqualTo(new Change.OfKey(log.records.get(1), false, List.of(first)));
        metadata.remove("k", 0);
        assertThat(last()).isEqualTo(new Change.OfKey(log.records.get(2), true, List.of()));
        // What the removal of a key frees with it needs no change of its own; what it frees beside does.
        metadata.remove("l", 0);
        assertThat(log.changes.subList(3, 5))
                .containsExactly(new Change.OfKey(log.records.get(3), false, List.of()), new Change.GroupFreed(first));
        assertThat(metadata.groupCount()).isZero();
    }

    @Test
    void whatIsNotReplicatedCannotBeNeeded() throws Exception {
        log.takesGroups = true;
        Session session = metadata.open("a client");
        long raw = metadata.reserve(session, 100);
        metadata.commit(session, new Request.Commit(raw, 100, 1, true, true, false, "", 0, "T"));
        long handedOver = metadata.reserve(session, 100);
        metadata.commit(session, new Request.Commit(handedOver, 100, 1, false, true, true, "", 0, "T"));
        assertThat(log.changes).isEmpty();
        for (long each : new long[] {raw, handedOver}) {
            for (String key : new String[] {"", "k"}) {
                long address = metadata.reserve(session, 100);
                metadata.depend(session, address, new long[] {each});
                refused(RefusalCode.LIMIT, () -> metadata.commit(session, commit(address, key, 0)));
            }
        }
        metadata.end(session);
        assertThat(log.changes).isEmpty();
    }

    @Test
    void aLeaderKeepsGroupsForTheTimeOfALease() throws Exception {
        log.takesGroups = true;
        Session before = metadata.open("a client");
        long key = put(before, "k");
        long leased = publish(before, key);
        long forgotten = publish(before);
        long ofKey = metadata.reserve(before, 100);
        metadata.depend(before, ofKey, new long[] {forgotten});
        metadata.commit(before, commit(ofKey, "l", 0));
        long unused = publish(before);
        List<GroupRecord> groups = new ArrayList<>(List.of(added(1), added(2), added(4)));
        metadata.keys()
                .forEach(each -> groups.add(new GroupRecord(
                        Objects.requireNonNull(each.group()),
                        each.reservedBytes(),
                        each.name().equals("l") ? List.of(forgotten) : List.of())));
        Metadata next = new Metadata(
                new Chunks(CHUNK),
                900,
                store,
                new Metadata.Limits(CAPACITY, 0, CAPACITY / 2, 2),
                Duration.ofMillis(300),
                Duration.ofMillis(300),
                log,
                () -> nanos);
        next.adopt(groups, metadata.keys());
        assertThat(next.groupCount()).isEqualTo(5);
        assertThat(next.usedBytes()).isEqualTo(metadata.usedBytes());
        Session session = next.open("the same client");
        next.locate(session, leased, false);
        pass(200);
        next.expire();
        assertThat(next.groupCount()).isEqualTo(5);
        pass(200);
        next.expire();
        assertThat(last()).isEqualTo(new Change.GroupFreed(unused));
        assertThat(next.groupCount()).isEqualTo(4);
        // Dependencies go on too.
        next.remove("k", 0);
        next.remove("l", 0);
        assertThat(last()).isEqualTo(new Change.GroupFreed(forgotten));
        next.locate(session, key, false);
        next.release(session, new long[] {leased, key});
        assertThat(next.groupCount()).isZero();
        assertThat(next.usedBytes()).isZero();
    }

    /** Only those who lease its group know of that, and they tell a new leader later. */
    @Test
    void aNewLeaderKeepsAGroupWhoseKeyGoesForTheTimeOfALease() throws Exception {
        log.takesGroups = true;
        Session session = metadata.open("a client");
        GroupDescription group = new GroupDescription(2 << 20, 100, 1, false, "T", 1);
        metadata.adopt(List.of(new GroupRecord(group, 4096, List.of())), List.of(new KeyRecord("l", group, 5, 4096)));
        metadata.remove("l", 0);
        metadata.locate(session, 2 << 20, false);
        pass(400);
        metadata.expire();
        assertThat(metadata.groupCount()).isEqualTo(1);
        metadata.release(session, new long[] {2 << 20});
        assertThat(last()).isEqualTo(new Change.GroupFreed(2 << 20));
        assertThat(metadata.groupCount()).isZero();
    }

    /** Another server leads then, and clients may lease the group again there. */
    @Test
    void bytesStayIfTheLogCannotTakeDownThatTheirGroupHasEnded() throws Exception {
        log.takesGroups = true;
        Session session = metadata.open("a client");
        long address = publish(session);
        log.isFull = true;
        metadata.release(session, new long[] {address});
        assertThat(metadata.groupCount()).isZero();
        assertThat(freed).isEmpty();
    }

    /** A new leader does not know who has published a group. Who leases it again is who uses it. */
    @Test
    void whatAClientLeasesAgainCountsForItsLimit() throws Exception {
        log.takesGroups = true;
        Session session = metadata.open("a client");
        GroupDescription published = new GroupDescription(2 << 20, 100, 1, false, "T", 0);
        GroupDescription ofKey = new GroupDescription(3 << 20, 100, 1, false, "T", 1);
        metadata.adopt(
                List.of(new GroupRecord(published, 4096, List.of()), new GroupRecord(ofKey, 4096, List.of())),
                List.of(new KeyRecord("l", ofKey, 5, 4096)));
        for (long address : new long[] {2 << 20, 2 << 20, 3 << 20}) {
            metadata.locate(session, address, false);
        }
        refused(RefusalCode.LIMIT, () -> metadata.reserve(session, CAPACITY / 2));
        long most = metadata.reserve(session, CAPACITY / 2 - 4096);
        metadata.release(session, new long[] {most, 2 << 20, 2 << 20});
        pass(400);
        metadata.expire();
        metadata.reserve(session, CAPACITY / 2);
    }
}
