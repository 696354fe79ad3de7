package org.heapspan.exchange.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.KeyLog;
import org.heapspan.exchange.metadata.Metadata;
import org.heapspan.exchange.metadata.Session;
import org.heapspan.exchange.metadata.Types;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class OwnSpaceTest {
    private static final UUID NUMBER = new UUID(1, 1);

    @TempDir
    Path folder;

    /** Remembers changes by their numbers. */
    private static final class Log implements KeyLog {
        private final Map<UUID, Long> outcomes = new HashMap<>();

        @Override
        public boolean takesGroups() {
            return true;
        }

        @Override
        public void written(long address, long sizeBytes, int checksum) {
            // The bytes stay where they are.
        }

        @Override
        public long add(Change change, @Nullable KeyRecord former, @Nullable UUID number) {
            if (number != null) {
                outcomes.put(number, 1L);
            }
            return 1;
        }

        @Override
        public void await(long change) {
            // It is confirmed at once.
        }

        @Override
        public @Nullable Long outcome(UUID number) {
            return outcomes.get(number);
        }

        @Override
        public long last() {
            return 1;
        }

        @Override
        public boolean isSafe(long change) {
            return true;
        }
    }

    private static Request store(UUID number, String key) {
        byte[] bytes = new byte[100];
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        return new Request.Numbered(
                number, new Request.Store((int) checksum.getValue(), false, key, 0, "T", ByteBuffer.wrap(bytes)));
    }

    /** Its client has not heard that it was made, and the server has no room for the same object again. */
    @Test
    void aChangeThatIsRepeatedNeedsNoRoom() throws Exception {
        try (Keeper keeper = new Keeper(folder, new byte[16], new Chunks(1 << 20), null)) {
            Metadata metadata = new Metadata(
                    new Chunks(1 << 20),
                    1,
                    keeper,
                    new Metadata.Limits(4096, 0, 4096, 1),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(60),
                    new Log(),
                    System::nanoTime);
            OwnSpace space = new OwnSpace(metadata, keeper, new Traffic(), new Types());
            Session session = metadata.open("a client");
            assertThat(((Reply.Stored) space.answer(session, store(NUMBER, "k"))).version())
                    .isEqualTo(1);
            assertThat(space.answer(session, store(NUMBER, "k"))).isEqualTo(new Reply.Stored(0, 1));
            assertThatThrownBy(() -> space.answer(session, store(new UUID(1, 2), "l")))
                    .isInstanceOfSatisfying(
                            RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.FULL));
        }
    }
}
