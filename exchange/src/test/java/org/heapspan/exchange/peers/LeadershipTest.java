package org.heapspan.exchange.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.LogEntry;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.TypeDescriptions;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A leader answers what a majority has confirmed, and nothing any more when another one may lead. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class LeadershipTest {
    @TempDir
    Path folder;

    private final ByHand consensus = new ByHand();
    private Keeper keeper;
    private Replica replica;

    /** Makes changes when a test says so. */
    private final class ByHand implements Consensus {
        final List<byte[]> changes = new ArrayList<>();
        final List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
        boolean holds;
        boolean confirms = true;
        long term = 1;
        final AtomicInteger resigned = new AtomicInteger();
        Runnable whenAsked = () -> {};

        @Override
        public byte[] answer(byte[] message) {
            return message;
        }

        @Override
        public CompletableFuture<Boolean> propose(byte[] change) {
            whenAsked.run();
            CompletableFuture<Boolean> made = new CompletableFuture<>();
            changes.add(change);
            waiting.add(made);
            if (!holds) {
                make();
            }
            return made;
        }

        void make() {
            for (int i = 0; i < changes.size(); i++) {
                waiting.get(i).complete(replica.apply(term, ByteBuffer.wrap(changes.get(i))));
            }
            changes.clear();
            waiting.clear();
        }

        void fail() {
            waiting.forEach(each -> each.completeExceptionally(new IOException("no majority")));
            waiting.clear();
            changes.clear();
        }

        @Override
        public CompletableFuture<Void> confirm() {
            return confirms
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(new IOException("no majority"));
        }

        @Override
        public void resign() {
            resigned.incrementAndGet();
            replica.leads(false);
        }

        @Override
        public int leader() {
            whenAsked.run();
            return 1;
        }

        @Override
        public long silentMillis(int peer) {
            return UNKNOWN;
        }

        @Override
        public long lastTerm() {
            return 0;
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void start() throws IOException {
        keeper = Keeper.ofPeer(folder, new byte[16], new Chunks(1 << 20));
        replica = replica(Duration.ofMillis(500));
    }

    /** One that waits so long for a majority. */
    private Replica replica(Duration timeout) throws IOException {
        List<Endpoint> places =
                List.of(Endpoint.inProcess("none-0"), Endpoint.inProcess("none-1"), Endpoint.inProcess("none-2"));
        ClientSettings client = new ClientSettings(places, null, null, Duration.ofSeconds(1), 1, false, false);
        Replica made = new Replica(
                new PeerSettings(places, 0, client, false, Duration.ofMillis(50), 1_000),
                keeper,
                1 << 20,
                timeout,
                Duration.ofMillis(100));
        made.start((settings, state, calls) -> consensus);
        return made;
    }

    @AfterEach
    void end() throws IOException {
        replica.close();
        keeper.close();
    }

    private Leadership lead() throws InterruptedException {
        replica.leads(true);
        return replica.awaitLeadership();
    }

    private static KeyRecord record(String name, long address) {
        return new KeyRecord(name, new GroupDescription(address, 10, 1, false, "T", 1), 5, 4096);
    }

    @Test
    void anAnswerWaitsForAMajority() throws Exception {
        replica.close();
        replica = replica(Duration.ofSeconds(Eventually.MOST_SECONDS));
        Leadership leadership = lead();
        leadership.confirm();
        consensus.holds = true;
        UUID number = new UUID(1, 1);
        long change = leadership.add(new Change.OfKey(record("k", 4096)), null, number);
        assertThat(leadership.isSafe(change)).isFalse();
        // Who sends it again is not told before, either.
        assertThat(leadership.outcome(number)).isEqualTo(1);
        CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> {
            try {
                leadership.await(change);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        TimeUnit.MILLISECONDS.sleep(50);
        assertThat(answered).isNotDone();
        consensus.make();
        answered.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        assertThat(leadership.isSafe(change)).isTrue();
        assertThat(replica.keyCount()).isEqualTo(1);
    }

    @Test
    void aChangeThatIsNotConfirmedEndsTheLead() throws Exception {
        Leadership leadership = lead();
        consensus.holds = true;
        long change = leadership.add(new Change.OfKey(record("k", 4096)), null, null);
        consensus.fail();
        assertThatThrownBy(() -> leadership.await(change)).isInstanceOf(NotLeaderException.class);
        assertThatThrownBy(leadership::confirm)
                .isInstanceOf(NotLeaderException.class)
                .hasMessageEndingWith("heapspan-local://none-1");
        assertThatThrownBy(() -> leadership.add(new Change.OfKey(record("l", 8192)), null, null))
                .isInstanceOf(NotLeaderException.class);
        assertThat(leadership.awaitEnd()).contains("not confirmed");
    }

    /** The consensus tells of a lost lead with locks of its own, for which who asks it may wait. */
    @Test
    void theLeadMayBeLostWhileTheConsensusIsAsked() throws Exception {
        Leadership leadership = lead();
        consensus.holds = true;
        consensus.whenAsked = () -> CompletableFuture.runAsync(() -> replica.leads(false))
                .orTimeout(Eventually.MOST_SECONDS, TimeUnit.SECONDS)
                .join();
        long change = leadership.add(new Change.OfKey(record("k", 4096)), null, null);
        assertThatThrownBy(() -> leadership.await(change)).isInstanceOf(NotLeaderException.class);
        assertThatThrownBy(() -> leadership.add(new Change.OfKey(record("l", 8192)), null, null))
                .isInstanceOf(NotLeaderException.class);
        assertThatThrownBy(leadership::confirm).isInstanceOf(NotLeaderException.class);
    }

    @Test
    void silenceOfTheMajorityEndsTheLead() throws Exception {
        Leadership leadership = lead();
        consensus.holds = true;
        leadership.add(new Change.OfKey(record("k", 4096)), null, null);
        assertThatThrownBy(leadership::confirm).isInstanceOf(NotLeaderException.class);
        assertThat(leadership.awaitEnd()).contains("no majority");
    }

    @Test
    void aFormerLeaderAnswersNothing() throws Exception {
        Leadership leadership = lead();
        consensus.confirms = false;
        assertThatThrownBy(leadership::confirm).isInstanceOf(NotLeaderException.class);

        consensus.confirms = true;
        Leadership second = lead();
        second.confirm();
        // Another one has begun, although the consensus says nothing of it yet.
        replica.apply(2, ByteBuffer.wrap(LogEntry.begin(77).write()));
        assertThatThrownBy(second::confirm).isInstanceOf(NotLeaderException.class);
    }

    @Test
    void aServerThatCannotServeGivesTheLeadAway() throws Exception {
        Leadership leadership = lead();
        replica.giveUp(leadership);
        assertThat(consensus.resigned).hasValue(1);
        assertThat(leadership.awaitEnd()).contains("cannot serve");
        assertThatThrownBy(leadership::confirm).isInstanceOf(NotLeaderException.class);
        // It stores copies for the next leader then.
        replica.apply(2, ByteBuffer.wrap(LogEntry.begin(5).write()));
        replica.storeCopy(copy(5, new byte[] {1, 2, 3}));
        assertThat(replica.use(1 << 20).sizeBytes()).isEqualTo(3);
        // Later it may lead again.
        lead().confirm();
    }

    @Test
    void aServerThatFailsWhenItBeginsGivesTheLeadAwayAndMayLeadLater() throws Exception {
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        Leading.Serving serving = new Leading.Serving() {
            @Override
            public void begin(Leadership leadership) throws IOException {
                events.add("begin");
                if (consensus.resigned.get() == 0) {
                    throw new IOException("no memory");
                }
            }

            @Override
            public void end() throws IOException {
                events.add("end");
                if (events.size() == 2) {
                    throw new IOException("no memory for that either");
                }
            }
        };
        Leading leading = new Leading(replica, serving, Duration.ofMillis(1));
        CompletableFuture<Void> done = CompletableFuture.runAsync(leading::run);
        replica.leads(true);
        Eventually.holds("the lead is given away", () -> consensus.resigned.get() == 1);
        replica.leads(true);
        Eventually.holds("it leads again", () -> events.equals(List.of("begin", "end", "end", "begin")));
        replica.leads(false);
        Eventually.holds("it leads no more", () -> events.equals(List.of("begin", "end", "end", "begin", "end")));
        replica.close();
        done.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        assertThat(consensus.resigned).hasValue(1);
    }

    private static Request.StoreCopy copy(long run, byte[] bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        return new Request.StoreCopy(run, 1 << 20, bytes.length, (int) checksum.getValue(), 0, ByteBuffer.wrap(bytes));
    }

    @Test
    void copiesAreKeptUntilAnotherRunHasBegun() throws Exception {
        byte[] bytes = {1, 2, 3};
        replica.apply(1, ByteBuffer.wrap(LogEntry.begin(5).write()));
        replica.storeCopy(copy(5, bytes));
        assertThat(replica.use(1 << 20).sizeBytes()).isEqualTo(3);
        assertThatThrownBy(() -> replica.storeCopy(copy(6, bytes)))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.NOT_LEADER));
        Request.StoreCopy damaged = new Request.StoreCopy(5, 2 << 20, 3, 99, 0, ByteBuffer.wrap(bytes));
        assertThatThrownBy(() -> replica.storeCopy(damaged))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.CHECKSUM));

        replica.apply(2, ByteBuffer.wrap(LogEntry.begin(6).write()));
        assertThat(replica.usedBytes()).isZero();
        assertThatThrownBy(() -> replica.use(1 << 20)).isInstanceOf(RefusedException.class);
    }

    /** So no chunk is dropped between two pieces, and nothing stays if the last piece never comes. */
    @Test
    void aCopyTakesItsSpaceFromTheFirstPieceOn() throws Exception {
        Request.StoreCopy whole = copy(5, new byte[] {1, 2, 3});
        replica.apply(1, ByteBuffer.wrap(LogEntry.begin(5).write()));
        replica.storeCopy(piece(whole, 0, 2));
        assertThat(replica.usedBytes()).isEqualTo(4096);
        assertThatThrownBy(() -> replica.use(1 << 20)).isInstanceOf(RefusedException.class);
        replica.storeCopy(piece(whole, 2, 1));
        assertThat(replica.usedBytes()).isEqualTo(4096);
        assertThat(replica.use(1 << 20).sizeBytes()).isEqualTo(3);

        replica.apply(2, ByteBuffer.wrap(LogEntry.begin(6).write()));
        replica.storeCopy(
                new Request.StoreCopy(6, 2 << 20, 3, whole.checksum(), 0, ByteBuffer.wrap(new byte[] {1, 2})));
        assertThat(replica.usedBytes()).isEqualTo(4096);
        replica.apply(3, ByteBuffer.wrap(LogEntry.begin(7).write()));
        assertThat(replica.usedBytes()).isZero();
    }

    private void assertPiecesAreDamaged(long run) throws Exception {
        Request.StoreCopy damaged =
                new Request.StoreCopy(run, 1 << 20, 3, 99, 0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        replica.storeCopy(piece(damaged, 0, 2));
        assertThat(replica.usedBytes()).isEqualTo(4096);
        assertThatThrownBy(() -> replica.storeCopy(piece(damaged, 2, 1)))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.CHECKSUM));
    }

    @Test
    void aCopyWhoseLastPieceIsRefusedGivesItsSpaceBack() throws Exception {
        replica.apply(1, ByteBuffer.wrap(LogEntry.begin(5).write()));
        assertPiecesAreDamaged(5);
        assertThat(replica.usedBytes()).isZero();
    }

    /** That of a group that this server has had as the leader: its clients may read it still, and its chunk must stay. */
    @Test
    void aCopyThatIsRefusedLeavesSpaceThatWasTakenBeforeItsFirstPiece() throws Exception {
        Leadership leadership = lead();
        leadership.add(new Change.OfKey(record("k", 1 << 20)), null, null);
        replica.leads(false);
        replica.ended(leadership, Map.of(1L << 20, 4096L));
        replica.apply(2, ByteBuffer.wrap(LogEntry.begin(5).write()));
        assertThat(replica.usedBytes()).isEqualTo(4096);
        assertPiecesAreDamaged(5);
        assertThat(replica.usedBytes()).isEqualTo(4096);
    }

    private static Request.StoreCopy piece(Request.StoreCopy whole, int offset, int length) {
        return new Request.StoreCopy(
                whole.run(),
                whole.address(),
                whole.sizeBytes(),
                whole.checksum(),
                offset,
                whole.bytes().slice(offset, length));
    }

    private void applyInRun5(long sequence, Change change) {
        assertThat(replica.apply(1, ByteBuffer.wrap(new LogEntry(5, sequence, null, change).write())))
                .isTrue();
    }

    private void assertCopyIsRefused(byte[] bytes) {
        assertThatThrownBy(() -> replica.storeCopy(copy(5, bytes)))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.GROUP_GONE));
        assertThat(replica.usedBytes()).isZero();
        assertThatThrownBy(() -> replica.use(1 << 20)).isInstanceOf(RefusedException.class);
    }

    /** Copies and changes have ways of their own, and a slow copy may come last. */
    @Test
    void aCopyThatComesWhenItsGroupIsGoneIsNotKept() throws Exception {
        byte[] bytes = {1, 2, 3};
        replica.apply(1, ByteBuffer.wrap(LogEntry.begin(5).write()));
        applyInRun5(1, new Change.OfKey(record("k", 1 << 20)));
        applyInRun5(2, new Change.OfKey(new KeyRecord("k", null, 0, 0)));
        assertCopyIsRefused(bytes);
    }

    @Test
    void aCopyThatComesAfterTheLeaderHasGivenItUpIsNotKept() throws Exception {
        byte[] bytes = {1, 2, 3};
        replica.apply(1, ByteBuffer.wrap(LogEntry.begin(5).write()));
        replica.forgetCopy(new Request.ForgetCopy(4, 1 << 20));
        replica.storeCopy(copy(5, bytes));
        assertThat(replica.usedBytes()).isEqualTo(4096);
        replica.forgetCopy(new Request.ForgetCopy(5, 1 << 20));
        assertThat(replica.usedBytes()).isZero();

        replica.apply(1, ByteBuffer.wrap(LogEntry.begin(5).write()));
        replica.forgetCopy(new Request.ForgetCopy(5, 1 << 20));
        assertCopyIsRefused(bytes);
    }

    /** A server that was slow for long hears of a snapshot in place of changes, the ends of groups among them. */
    @Test
    void aSnapshotEndsGroupsWhoseRemovalWasMissed() throws Exception {
        byte[] bytes = {1, 2, 3};
        LogEntry put = new LogEntry(5, 1, null, new Change.OfKey(record("k", 1 << 20)));
        ReplicatedKeys others = new ReplicatedKeys();
        others.apply(LogEntry.begin(5));
        others.apply(put);
        Path before = folder.resolve("before");
        others.save(before);
        others.apply(new LogEntry(5, 2, null, new Change.OfKey(new KeyRecord("k", null, 0, 0))));
        Path after = folder.resolve("after");
        others.save(after);
        others.apply(LogEntry.begin(6));
        Path ofAnotherRun = folder.resolve("another");
        others.save(ofAnotherRun);

        replica.load(before);
        replica.storeCopy(copy(5, bytes));
        replica.load(after);
        assertThat(replica.usedBytes()).isZero();
        assertCopyIsRefused(bytes);

        // A copy of a group that was never committed ends with its run.
        Request.StoreCopy other =
                new Request.StoreCopy(5, 2 << 20, 3, copy(5, bytes).checksum(), 0, ByteBuffer.wrap(bytes));
        replica.storeCopy(other);
        assertThat(replica.usedBytes()).isEqualTo(4096);
        replica.load(ofAnotherRun);
        assertThat(replica.usedBytes()).isZero();
    }

    @Test
    void theNextLeaderBeginsWithGroupsAndTypes() throws Exception {
        Leadership first = lead();
        GroupRecord group = new GroupRecord(record("no key", 8192).group(), 4096, List.of(4096L));
        first.add(new Change.OfKey(record("k", 4096)), null, null);
        first.add(new Change.GroupAdded(group), null, null);
        first.add(new Change.GroupAdded(new GroupRecord(record("freed", 12288).group(), 4096, List.of())), null, null);
        first.add(new Change.GroupFreed(12288), null, null);
        UUID registry = new UUID(8, 9);
        first.add(registry, List.of());
        // The log has no entry that is longer than a message of the consensus.
        byte[] longest = new byte[TypeDescriptions.MOST_DESCRIPTION_BYTES];
        consensus.holds = true;
        first.add(registry, Collections.nCopies(3, new TypeRegistry.Type("a", longest)));
        assertThat(consensus.changes).hasSize(3).allMatch(each -> each.length < 100 << 10);
        consensus.make();
        consensus.holds = false;
        first.confirm();

        Begin next = lead().begin();
        assertThat(next.keys()).extracting(KeyRecord::name).containsExactly("k");
        assertThat(next.groups()).extracting(GroupRecord::address).containsExactly(4096L, 8192L);
        assertThat(next.groups()).contains(group);
        assertThat(next.registry()).isEqualTo(registry);
        assertThat(next.types()).hasSize(3);
    }

    @Test
    void aLeaderAloneHasNoMajorityForBytes() throws Exception {
        Leadership leadership = lead();
        keeper.prepare(1 << 20, 3);
        keeper.write(1 << 20, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThatThrownBy(() -> leadership.written(1 << 20, 3, 1))
                .isInstanceOf(NotLeaderException.class)
                .hasMessageContaining("only 1 of 3");
        replica.ended(leadership, Map.of(1L << 20, 3L));
    }
}
