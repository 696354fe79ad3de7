package org.heapspan.exchange.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.LogEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same changes lead to the same keys, and those of former leaders to nothing. */
@Tag("once")
final class ReplicatedKeysTest {
    private final ReplicatedKeys keys = new ReplicatedKeys();

    @TempDir
    Path folder;

    private static KeyRecord record(String name, long address, long version) {
        return new KeyRecord(name, new GroupDescription(address, 10, 1, false, "T", version), 5, 4096);
    }

    private boolean apply(long run, long sequence, @Nullable UUID number, KeyRecord record) {
        return keys.apply(new LogEntry(run, sequence, number, new Change.OfKey(record)))
                .counts();
    }

    @Test
    void aChangeCountsOnlyInTheLastRunAndInItsOrder() {
        assertThat(apply(1, 1, null, record("before any run", 4096, 1))).isFalse();
        keys.apply(LogEntry.begin(1));
        assertThat(apply(1, 1, null, record("a", 4096, 1))).isTrue();
        assertThat(apply(1, 3, null, record("too early", 8192, 1))).isFalse();
        assertThat(apply(1, 1, null, record("again", 8192, 1))).isFalse();
        keys.apply(LogEntry.begin(2));
        assertThat(apply(1, 2, null, record("of a former leader", 8192, 1))).isFalse();
        assertThat(apply(2, 1, null, record("b", 8192, 1))).isTrue();
        assertThat(keys.begin().keys()).extracting(KeyRecord::name).containsExactly("a", "b");
    }

    @Test
    void aNumberedChangeIsRememberedAcrossRunsAndSnapshots() throws IOException {
        UUID put = new UUID(1, 1);
        UUID removal = new UUID(1, 2);
        keys.apply(LogEntry.begin(1));
        apply(1, 1, put, record("a", 4096, 3));
        apply(1, 2, removal, new KeyRecord("a", null, 0, 0));
        apply(1, 3, null, record("b", 8192, 1));
        keys.apply(LogEntry.begin(2));
        Path file = folder.resolve("snapshot");
        keys.save(file);

        ReplicatedKeys other = new ReplicatedKeys();
        other.apply(LogEntry.begin(9));
        other.load(file);
        assertThat(other.outcome(put)).isEqualTo(3);
        assertThat(other.outcome(removal)).isZero();
        assertThat(other.outcome(new UUID(1, 3))).isNull();
        assertThat(other.run()).isEqualTo(2);
        assertThat(other.begin().keys()).isEqualTo(keys.begin().keys());
        assertThat(other.at(8192)).isNotNull();
        assertThat(other.at(4096)).isNull();
        assertThat(other.apply(new LogEntry(2, 1, null, new Change.OfKey(record("c", 12288, 1))))
                        .counts())
                .isTrue();
    }

    @Test
    void snapshotsOfTheSameChangesAreEqualAndDamagedOnesAreRefused() throws IOException {
        ReplicatedKeys other = new ReplicatedKeys();
        for (ReplicatedKeys each : new ReplicatedKeys[] {keys, other}) {
            each.apply(LogEntry.begin(1));
            for (int i = 1; i < 50; i++) {
                each.apply(new LogEntry(1, i, new UUID(7, i), new Change.OfKey(record("k" + i % 20, i * 4096L, 1))));
            }
            each.save(folder.resolve(each == keys ? "one" : "other"));
        }
        assertThat(folder.resolve("one")).hasSameBinaryContentAs(folder.resolve("other"));

        byte[] bytes = Files.readAllBytes(folder.resolve("one"));
        bytes[3] = 9;
        Files.write(folder.resolve("format"), bytes);
        assertThatThrownBy(() -> other.load(folder.resolve("format"))).hasMessageContaining("has format 9");
        Files.write(folder.resolve("short"), Arrays.copyOf(bytes, 40));
        assertThatThrownBy(() -> other.load(folder.resolve("short"))).isInstanceOf(IOException.class);
    }

    private @Nullable GroupRecord freed(long sequence, Change change) throws IOException {
        // As it comes from the log.
        LogEntry read = LogEntry.read(ByteBuffer.wrap(new LogEntry(1, sequence, null, change).write()));
        ReplicatedKeys.Effect effect = keys.apply(read);
        assertThat(effect.counts()).isTrue();
        return effect.freed();
    }

    @Test
    void groupsStayUntilTheyAreFreedAlsoAcrossSnapshots() throws IOException {
        keys.apply(LogEntry.begin(1));
        GroupRecord alone = new GroupRecord(record("none", 4096, 1).group(), 4096, List.of());
        GroupRecord needing = new GroupRecord(record("none", 8192, 1).group(), 4096, List.of(4096L));
        freed(1, new Change.GroupAdded(alone));
        freed(2, new Change.GroupAdded(needing));
        freed(3, new Change.OfKey(record("k", 12288, 1), false, List.of(8192L)));
        assertThat(freed(4, new Change.OfKey(record("k", 16384, 2), true, List.of(4096L, 8192L))))
                .isNull();
        assertThat(keys.at(12288)).isNotNull();
        assertThat(freed(5, new Change.OfKey(record("k", 20480, 3)))).isEqualTo(keys16384());
        freed(6, new Change.OfKey(record("l", 24576, 1), false, List.of(12288L)));
        freed(7, new Change.TypesAdded(new UUID(1, 2), List.of(new TypeRegistry.Type("scope", new byte[] {1, 2}))));
        freed(8, new Change.TypesAdded(new UUID(1, 2), List.of(new TypeRegistry.Type("", new byte[40_000]))));
        assertThat(freed(9, new Change.GroupFreed(4096))).isEqualTo(alone);

        keys.save(folder.resolve("snapshot"));
        ReplicatedKeys other = new ReplicatedKeys();
        other.load(folder.resolve("snapshot"));
        assertThat(other.ranges().keySet()).containsExactly(8192L, 12288L, 20480L, 24576L);
        assertThat(other.begin().groups()).isEqualTo(keys.begin().groups()).contains(needing);
        assertThat(other.begin().keys()).isEqualTo(keys.begin().keys());
        assertThat(other.begin().registry()).isEqualTo(new UUID(1, 2));
        assertThat(other.begin().types())
                .extracting(each -> each.description().length)
                .containsExactly(2, 40_000);
        other.save(folder.resolve("again"));
        assertThat(folder.resolve("again")).hasSameBinaryContentAs(folder.resolve("snapshot"));
    }

    private static GroupRecord keys16384() {
        return new GroupRecord(record("k", 16384, 2).group(), 4096, List.of(4096L, 8192L));
    }

    /** What the version wrote that knew of keys only. */
    @Test
    void logsAndSnapshotsOfTheFormerVersionAreRead() throws IOException {
        ByteBuffer record = record("k", 4096, 3).write();
        ByteBuffer change =
                ByteBuffer.allocate(18 + record.remaining()).putLong(1).putLong(1);
        change.put((byte) 0).put((byte) 1).put(record.duplicate()).flip();
        assertThat(LogEntry.read(change)).isEqualTo(new LogEntry(1, 1, null, new Change.OfKey(record("k", 4096, 3))));
        ByteBuffer begin = ByteBuffer.allocate(18)
                .putLong(7)
                .putLong(0)
                .putShort((short) 0)
                .flip();
        assertThat(LogEntry.read(begin)).isEqualTo(LogEntry.begin(7));

        ByteBuffer snapshot = ByteBuffer.allocate(32 + record.remaining())
                .putInt(1)
                .putLong(7)
                .putLong(2);
        snapshot.putInt(1).putInt(record.remaining()).put(record).putInt(0);
        Files.write(folder.resolve("snapshot"), snapshot.array());
        keys.load(folder.resolve("snapshot"));
        assertThat(keys.begin().keys()).containsExactly(record("k", 4096, 3));
        assertThat(keys.ranges()).containsExactly(Map.entry(4096L, 4096L));
        assertThat(apply(7, 3, null, record("l", 8192, 1))).isTrue();
    }

    @Test
    void whatNoVersionHasWrittenIsRefused() {
        ByteBuffer later = ByteBuffer.allocate(19)
                .putLong(1)
                .putLong(1)
                .put((byte) 0)
                .put((byte) 99)
                .put((byte) 0);
        assertThatThrownBy(() -> LogEntry.read(later.flip())).hasMessageContaining("unknown kind 99");
        // A begin with a change, and a change without one.
        for (long sequence : new long[] {0, 1}) {
            ByteBuffer mixed =
                    ByteBuffer.allocate(27).putLong(1).putLong(sequence).put((byte) 0);
            if (sequence == 0) {
                mixed.put(new Change.GroupFreed(5).write());
            } else {
                mixed.put((byte) 0);
            }
            assertThatThrownBy(() -> LogEntry.read(mixed.flip())).hasMessageContaining("malformed");
        }
        ByteBuffer small =
                new Change.GroupAdded(new GroupRecord(record("k", 4096, 1).group(), 4, List.of())).write();
        assertThatThrownBy(() -> Change.read(small)).hasMessageContaining("10 bytes in a space of 4");
    }

    @Test
    void copiesWaitForAMajority() throws IOException {
        Copying enough = new Copying(1, 2);
        enough.failed("down", false);
        enough.succeeded();
        enough.await(Duration.ofMinutes(1));

        Copying none = new Copying(1, 2);
        none.failed("down", false);
        none.failed("down too", false);
        assertThatThrownBy(() -> none.await(Duration.ofMinutes(1)))
                .isInstanceOf(NotLeaderException.class)
                .hasMessageContaining("only 1 of 3 servers");

        Copying full = new Copying(1, 2);
        full.failed("down", false);
        full.failed("no room", true);
        assertThatThrownBy(() -> full.await(Duration.ofMinutes(1)))
                .isInstanceOf(FullException.class)
                .hasMessageContaining("no room");
        assertThatThrownBy(() -> new Copying(1, 2).await(Duration.ofMillis(20)))
                .hasMessageContaining("none has answered");
    }
}
