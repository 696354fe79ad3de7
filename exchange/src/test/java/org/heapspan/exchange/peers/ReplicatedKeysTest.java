package org.heapspan.exchange.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.KeyChange;
import org.heapspan.exchange.wire.KeyRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same changes lead to the same keys, and those of former leaders to nothing. */
final class ReplicatedKeysTest {
    private final ReplicatedKeys keys = new ReplicatedKeys();

    @TempDir
    Path folder;

    private static KeyRecord record(String name, long address, long version) {
        return new KeyRecord(name, new GroupDescription(address, 10, 1, false, "T", version), 5, 4096);
    }

    private boolean apply(long run, long sequence, @Nullable UUID number, KeyRecord record) {
        return keys.apply(new KeyChange(run, sequence, number, record)).counts();
    }

    @Test
    void aChangeCountsOnlyInTheLastRunAndInItsOrder() {
        assertThat(apply(1, 1, null, record("before any run", 4096, 1))).isFalse();
        keys.apply(KeyChange.begin(1));
        assertThat(apply(1, 1, null, record("a", 4096, 1))).isTrue();
        assertThat(apply(1, 3, null, record("too early", 8192, 1))).isFalse();
        assertThat(apply(1, 1, null, record("again", 8192, 1))).isFalse();
        keys.apply(KeyChange.begin(2));
        assertThat(apply(1, 2, null, record("of a former leader", 8192, 1))).isFalse();
        assertThat(apply(2, 1, null, record("b", 8192, 1))).isTrue();
        assertThat(keys.keys()).extracting(KeyRecord::name).containsExactly("a", "b");
    }

    @Test
    void aNumberedChangeIsRememberedAcrossRunsAndSnapshots() throws IOException {
        UUID put = new UUID(1, 1);
        UUID removal = new UUID(1, 2);
        keys.apply(KeyChange.begin(1));
        apply(1, 1, put, record("a", 4096, 3));
        apply(1, 2, removal, new KeyRecord("a", null, 0, 0));
        apply(1, 3, null, record("b", 8192, 1));
        keys.apply(KeyChange.begin(2));
        Path file = folder.resolve("snapshot");
        keys.save(file);

        ReplicatedKeys other = new ReplicatedKeys();
        other.apply(KeyChange.begin(9));
        other.load(file);
        assertThat(other.outcome(put)).isEqualTo(3);
        assertThat(other.outcome(removal)).isZero();
        assertThat(other.outcome(new UUID(1, 3))).isNull();
        assertThat(other.run()).isEqualTo(2);
        assertThat(other.keys()).isEqualTo(keys.keys());
        assertThat(other.at(8192)).isNotNull();
        assertThat(other.at(4096)).isNull();
        assertThat(other.apply(new KeyChange(2, 1, null, record("c", 12288, 1))).counts())
                .isTrue();
    }

    @Test
    void snapshotsOfTheSameChangesAreEqualAndDamagedOnesAreRefused() throws IOException {
        ReplicatedKeys other = new ReplicatedKeys();
        for (ReplicatedKeys each : new ReplicatedKeys[] {keys, other}) {
            each.apply(KeyChange.begin(1));
            for (int i = 1; i < 50; i++) {
                each.apply(new KeyChange(1, i, new UUID(7, i), record("k" + i % 20, i * 4096L, 1)));
            }
            each.save(folder.resolve(each == keys ? "one" : "other"));
        }
        assertThat(folder.resolve("one")).hasSameBinaryContentAs(folder.resolve("other"));

        byte[] bytes = Files.readAllBytes(folder.resolve("one"));
        bytes[3] = 9;
        Files.write(folder.resolve("format"), bytes);
        assertThatThrownBy(() -> other.load(folder.resolve("format"))).hasMessageContaining("has format 9");
        Files.write(folder.resolve("short"), java.util.Arrays.copyOf(bytes, 40));
        assertThatThrownBy(() -> other.load(folder.resolve("short"))).isInstanceOf(IOException.class);
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
