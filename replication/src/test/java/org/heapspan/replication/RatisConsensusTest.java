package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.heapspan.exchange.peers.Consensus;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three peers agree, and none of them votes against what it has forgotten. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class RatisConsensusTest {
    private static final int NO_SNAPSHOT = 10_000;

    /** Ten elections. */
    private static final long LONG_MILLIS = 1_000;

    @TempDir
    Path folder;

    @Test
    void aLeaderGivesTheLeadToAnother() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.startAll();
            group.add("first");
            int leader = group.leader();
            Eventually.holds(
                    "another one leads", () -> resigns(group, leader) && group.hasLeader() && group.leader() != leader);
            group.add("second");
            leaderHas(group, "first", "second");
            // One that does not lead has nothing to give. On a busy machine it may lead again.
            Eventually.holds("it does not lead", () -> resigns(group, leader));
        }
    }

    private static boolean resigns(Group group, int peer) {
        try {
            group.consensus(peer).resign();
            return true;
        } catch (IOException e) {
            // On a busy machine none of the others may take the lead in time.
            return false;
        }
    }

    /** A former leader may not have heard yet that another one leads. */
    private static void leaderHas(Group group, String... texts) throws Exception {
        Eventually.holds(
                "the leader has " + List.of(texts),
                () -> group.texts(group.leader()).equals(List.of(texts)));
    }

    @Test
    void aGroupBeginsWhenAllFoldersAreSeenToBeEmpty() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.start(0);
            group.start(1);
            TimeUnit.MILLISECONDS.sleep(LONG_MILLIS);
            assertThat(group.hasLeader()).isFalse();
            group.start(2);
            group.add("first");
            // It goes on with two of them from then on, also after a restart.
            group.stop(0, 1, 2);
            group.start(0);
            group.start(1);
            group.add("second");
            leaderHas(group, "first", "second");
        }
    }

    @Test
    void theLeaderAndTheOthersHearOfEachOther() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.startAll();
            group.add("first");
            Eventually.holds("all know what they can know", () -> {
                int leader = group.leader();
                int one = (leader + 1) % 3;
                int other = (leader + 2) % 3;
                return hears(group, leader, one)
                        && hears(group, leader, other)
                        && hears(group, one, leader)
                        && group.consensus(one).silentMillis(other) == Consensus.UNKNOWN;
            });
            int stopped = (group.leader() + 1) % 3;
            group.stop(stopped);
            Eventually.holds("one is silent for long, the other one is not", () -> {
                int leader = group.leader();
                return group.consensus(leader).silentMillis(stopped) > 10 * Group.ELECTION.toMillis()
                        && hears(group, leader, 3 - leader - stopped);
            });
        }
    }

    private static boolean hears(Group group, int peer, int other) {
        long silent = group.consensus(peer).silentMillis(other);
        return silent != Consensus.UNKNOWN && silent <= 2 * Group.ELECTION.toMillis();
    }

    @Test
    void aNewcomerAsksAgainAfterAnError() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.outOfMemory.set(5);
            group.startAll();
            group.add("first");
            assertThat(group.outOfMemory).hasNonPositiveValue();
        }
    }

    /** Without the guard these two would elect one of them, and "first" would be lost. */
    @Test
    void aServerThatLostItsFolderDoesNotVoteAwayWhatItHadConfirmed() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.setDeaf(2, true);
            group.startAll();
            group.add("first");
            int leader = group.leader();
            int other = 1 - leader;
            group.stop(leader, other);
            group.deleteFolder(other);
            group.setDeaf(2, false);
            group.start(other);
            TimeUnit.MILLISECONDS.sleep(LONG_MILLIS);
            assertThat(group.hasLeader()).isFalse();
            assertThat(group.texts(2)).isEmpty();
            assertThat(group.texts(other)).isEmpty();
        }
    }

    /** It counts on those that it has heard from shortly before. They do not know of that when they were started again. */
    @Test
    void aLeaderThatWasCutOffIsNotConfirmedWhenAnotherOneLeads() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT, Duration.ofSeconds(6))) {
            group.startAll();
            group.add("first");
            int leader = group.leader();
            int one = (leader + 1) % 3;
            int other = (leader + 2) % 3;
            group.setDeaf(leader, true);
            group.stop(one, other);
            group.start(one);
            group.start(other);
            Eventually.holds("another one leads", () -> group.leads(one) || group.leads(other));
            group.consensus(group.leads(one) ? one : other)
                    .propose("second".getBytes(StandardCharsets.UTF_8))
                    .get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            assertThat(group.consensus(leader).confirm()).failsWithin(Duration.ofSeconds(Eventually.MOST_SECONDS));
            assertThat(group.texts(leader)).containsExactly("first");
        }
    }

    @Test
    void aServerThatLostItsFolderVotesAgainWhenItHasEverything() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.startAll();
            group.add("first");
            int leader = group.leader();
            int lost = (leader + 1) % 3;
            group.stop(lost);
            group.deleteFolder(lost);
            group.add("second");
            group.start(lost);
            Eventually.holds("it has everything", () -> group.texts(lost).size() == 2);
            Eventually.holds("it votes again", () -> group.isMember(lost));
            // The other one alone has no majority.
            group.stop(leader);
            group.add("third");
            assertThat(group.texts(lost)).startsWith("first", "second");
        }
    }

    /** What is left of the snapshot is no reason not to start: the changes are in the log still. */
    @Test
    void aServerThatWasKilledWhileItWroteASnapshotCanBeStarted() throws Exception {
        try (Group group = new Group(folder, 3, 5)) {
            group.startAll();
            group.letSnapshotsFail(0);
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                texts.add("text " + i);
            }
            group.addAll(texts);
            Eventually.holds("a snapshot was begun", () -> group.saves(0) > 0);
            group.stop(0);
            group.start(0);
            Eventually.holds("it has everything", () -> group.texts(0).containsAll(texts));
            // The next snapshot is a whole one.
            for (int i = 0; i < 6; i++) {
                group.add("later " + i);
            }
            Eventually.holds("a snapshot was written", () -> group.saves(0) > 0);
            group.stop(0);
            group.start(0);
            assertThat(group.loads(0)).isEqualTo(1);
            Eventually.holds("it has everything", () -> group.texts(0).containsAll(texts));
        }
    }

    @Tag("soak")
    @Test
    void fiveServersSurviveTheLossOfTwo() throws Exception {
        try (Group group = new Group(folder, 5, NO_SNAPSHOT)) {
            group.startAll();
            group.add("first");
            for (int i = 0; i < 5; i++) {
                int peer = i;
                Eventually.holds("it has the text", () -> group.texts(peer).size() == 1);
            }
            int leader = group.leader();
            int other = (leader + 1) % 5;
            group.stop(leader, other);
            group.add("second");
            // One of them has lost its folder. Three members are there, and the other one is away.
            group.deleteFolder(leader);
            group.start(leader);
            Eventually.holds("it has everything", () -> group.texts(leader).size() == 2);
            Eventually.holds("it votes again", () -> group.isMember(leader));
            group.stop((leader + 2) % 5);
            group.add("third");
            leaderHas(group, "first", "second", "third");
        }
    }

    @Test
    void aServerThatWasAwayForLongGetsASnapshot() throws Exception {
        try (Group group = new Group(folder, 3, 200)) {
            group.startAll();
            group.add("begin");
            int away = (group.leader() + 1) % 3;
            group.stop(away);
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                texts.add(i + "x".repeat(1_000));
            }
            group.addAll(texts);
            for (int i = 1; i < 3; i++) {
                int other = (away + i) % 3;
                Eventually.holds("the log is cut behind a snapshot", () -> !group.hasFirstChanges(other));
            }
            group.start(away);
            Eventually.holds("it has everything", () -> group.texts(away).size() == 1_001);
            assertThat(group.loads(away)).isPositive();
            Eventually.holds(
                    "it has the same as the leader", () -> group.texts(away).equals(group.texts(group.leader())));
        }
    }

    private static Path lastSnapshot(Group group, int peer) throws IOException {
        List<Path> snapshots = group.snapshots(peer);
        assertThat(snapshots).isNotEmpty();
        return snapshots.get(snapshots.size() - 1);
    }

    @Test
    void aServerDoesNotBeginWithADamagedSnapshot() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.startAll();
            group.add("first");
            int damaged = group.leader();
            group.stop(damaged);
            Path snapshot = lastSnapshot(group, damaged);
            byte[] bytes = Files.readAllBytes(snapshot);
            bytes[bytes.length - 1] ^= 1;
            Files.write(snapshot, bytes);
            assertThatThrownBy(() -> group.start(damaged)).hasStackTraceContaining(snapshot + " is damaged");
        }
    }

    /** As former versions left it when they were ended meanwhile. */
    @Test
    void aServerBeginsWithTheSnapshotBeforeOneThatWasWrittenInPart() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.startAll();
            group.add("first");
            int stopped = group.leader();
            group.stop(stopped);
            Path snapshot = lastSnapshot(group, stopped);
            Path part = Files.createFile(snapshot.resolveSibling("snapshot.9_999999"));
            group.start(stopped);
            Eventually.holds("it has everything", () -> group.texts(stopped).contains("first"));
            assertThat(group.loads(stopped)).isPositive();
            assertThat(part).doesNotExist();
            assertThat(part.resolveSibling("snapshot.9_999999.part")).isEmptyFile();
            group.add("second");
            Eventually.holds("it has what follows", () -> group.texts(stopped).contains("second"));
        }
    }

    @Test
    void aSnapshotThatCouldNotBeWrittenLeavesNoFile() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.startAll();
            group.add("first");
            int stopped = group.leader();
            group.letSnapshotsFail(stopped);
            // Writes a snapshot.
            group.stop(stopped);
            assertThat(group.snapshots(stopped)).isEmpty();
            try (Stream<Path> files = Files.walk(folder)) {
                assertThat(files.filter(each -> each.endsWith("snapshot.new"))).isEmpty();
            }
            group.start(stopped);
            Eventually.holds("it has everything", () -> group.texts(stopped).equals(List.of("first")));
        }
    }

    @Test
    void aGroupBeginsInFoldersThatAStartThatWasEndedHasLeft() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            // One that somebody has made, or a file system.
            Files.createDirectories(group.ofRaft(0).resolve("lost+found"));
            Path ofGroup = group.ofRaft(1).resolve(group.id());
            Files.createDirectories(ofGroup.resolve("sm"));
            Path current = Files.createDirectories(ofGroup.resolve("current"));
            Files.createFile(ofGroup.resolve("in_use.lock"));
            Files.createFile(current.resolve("raft-meta.tmp"));
            group.startAll();
            group.add("first");
            leaderHas(group, "first");
        }
    }

    @Test
    void aServerDoesNotBeginAnewIfItHasALog() throws Exception {
        try (Group group = new Group(folder, 3, NO_SNAPSHOT)) {
            group.startAll();
            group.add("first");
            int stopped = group.leader();
            group.stop(stopped);
            Path current = group.ofRaft(stopped).resolve(group.id()).resolve("current");
            Files.delete(current.resolve("raft-meta"));
            assertThatThrownBy(() -> group.start(stopped)).hasStackTraceContaining("NOT_FORMATTED");
            assertThat(current).isDirectoryContaining("glob:**log_*");
        }
    }
}
