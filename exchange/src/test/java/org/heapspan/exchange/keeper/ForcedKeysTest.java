package org.heapspan.exchange.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.KeyRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When the device has what {@link KeptKeys} were told. */
@Tag("once")
final class ForcedKeysTest {
    private static final int CHUNK = 64 << 10;

    private final CrashingFiles files = new CrashingFiles();
    private final List<Long> forcedChunks = new ArrayList<>();
    private boolean deviceFails;

    private KeptKeys keys(Duration forceAfter) throws IOException {
        return new KeptKeys(KeyJournal.open(files), new Chunks(CHUNK), this::force, forceAfter);
    }

    private void force(long chunk) throws IOException {
        if (deviceFails) {
            throw new IOException("the device has failed");
        }
        forcedChunks.add(chunk);
    }

    private static KeyRecord key(String name) {
        return new KeyRecord(name, new GroupDescription(3L * CHUNK, CHUNK + 1, 5, false, "T", 1), 1, 2 * CHUNK);
    }

    private List<String> forcedNames() throws IOException {
        try (KeyJournal journal = KeyJournal.open(files.after(CrashingFiles.Left.FORCED))) {
            return journal.kept().stream().map(KeyRecord::name).toList();
        }
    }

    @Test
    void withoutATimeBytesAndThenTheChangeAreForcedBeforeItIsAnswered() throws IOException {
        try (KeptKeys keys = keys(Duration.ZERO)) {
            keys.written(3L * CHUNK, CHUNK + 1, 0);
            assertThat(forcedChunks).containsExactly(3L, 4L);
            long change = keys.add(new Change.OfKey(key("k")), null, null);
            assertThat(forcedNames()).isEmpty();
            assertThat(keys.isSafe(change)).isFalse();
            keys.await(change);
            assertThat(forcedNames()).containsExactly("k");
            assertThat(keys.isSafe(change)).isTrue();
        }
    }

    @Test
    void withATimeBothAreForcedWhenItHasPassed() throws Exception {
        try (KeptKeys keys = keys(Duration.ofMillis(20))) {
            keys.written(3L * CHUNK, CHUNK + 1, 0);
            long change = keys.add(new Change.OfKey(key("k")), null, null);
            keys.await(change);
            assertThat(forcedChunks).isEmpty();
            assertThat(keys.isSafe(change)).isFalse();
            TimeUnit.MILLISECONDS.sleep(21);
            keys.maintain(List::of);
            assertThat(forcedChunks).containsExactlyInAnyOrder(3L, 4L);
            assertThat(keys.isSafe(change)).isTrue();
            assertThat(forcedNames()).containsExactly("k");
            // Once is enough.
            TimeUnit.MILLISECONDS.sleep(21);
            keys.maintain(List::of);
            assertThat(forcedChunks).hasSize(2);
        }
    }

    @Test
    void whatIsClosedIsForced() throws IOException {
        try (KeptKeys keys = keys(Duration.ofMinutes(1))) {
            keys.written(3L * CHUNK, 1, 0);
            keys.add(new Change.OfKey(key("k")), null, null);
            keys.maintain(List::of);
            assertThat(forcedChunks).isEmpty();
        }
        assertThat(forcedChunks).containsExactly(3L);
        assertThat(forcedNames()).containsExactly("k");
    }

    @Test
    void nothingIsTakenDownOnADeviceThatHasFailed() throws IOException {
        try (KeptKeys keys = keys(Duration.ZERO)) {
            long change = keys.add(new Change.OfKey(key("before")), null, null);
            keys.await(change);
            deviceFails = true;
            assertThatThrownBy(() -> keys.written(3L * CHUNK, 1, 0)).hasMessage("the device has failed");
            deviceFails = false;
            assertThatThrownBy(() -> keys.add(new Change.OfKey(key("k")), null, null))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("could not be written before: the device has failed");
        }
        assertThat(forcedNames()).containsExactly("before");
    }
}
