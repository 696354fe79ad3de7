package org.heapspan.exchange.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.LogEntry;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Hosts;
import org.heapspan.testing.SmallDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** A peer whose limit allows more than its device has room for. */
@Tag("once")
final class FullPeerTest {
    private static final int MEGABYTE = 1 << 20;
    private static final long MUCH = 1L << 50;
    private static final List<Endpoint> PLACES =
            List.of(Endpoint.inProcess("full-0"), Endpoint.inProcess("full-1"), Endpoint.inProcess("full-2"));

    @TempDir
    Path folder;

    private static PeerSettings settings() {
        ClientSettings client = new ClientSettings(PLACES, null, null, Duration.ofSeconds(1), 1, false, false);
        return new PeerSettings(PLACES, 0, client, false, Duration.ofMillis(50), 1_000);
    }

    private interface Use {
        void use(Replica replica) throws Exception;
    }

    private static void with(Path base, Use use) throws Exception {
        try (Keeper keeper = Keeper.ofPeer(base, new byte[16], new Chunks(MEGABYTE));
                Replica replica =
                        new Replica(settings(), keeper, 2 * MUCH, Duration.ofMillis(500), Duration.ofMillis(100))) {
            replica.apply(1, ByteBuffer.wrap(LogEntry.begin(5).write()));
            use.use(replica);
        }
    }

    /** So the leader does not think that the peer may have it later, and lets its client wait. */
    @Test
    void aCopyForWhichTheDeviceHasNoRoomIsRefusedAsFull() throws Exception {
        with(folder, replica -> {
            Request.StoreCopy copy = new Request.StoreCopy(5, MEGABYTE, MUCH, 1, 0, ByteBuffer.allocate(10));
            assertThatThrownBy(() -> replica.storeCopy(copy))
                    .isInstanceOfSatisfying(
                            RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.FULL))
                    .hasMessageContaining("the device of " + folder);
        });
    }

    /** That says nothing of the other peer. */
    @Test
    void bytesForWhichTheDeviceHasNoRoomAreNotAskedFor() throws Exception {
        try (ExchangeServer other = ExchangeServer.start(
                        ExchangeServerOptions.inProcess(PLACES.get(1).host()));
                Keeper keeper = Keeper.ofPeer(folder, new byte[16], new Chunks(MEGABYTE));
                OtherPeers others = new OtherPeers(settings(), new KeptBytes(keeper, false), Duration.ofMillis(500))) {
            GroupDescription group = new GroupDescription(MEGABYTE, MUCH, 1, false, "T", 1);
            assertThat(other.url()).isEqualTo(PLACES.get(1).toString());
            assertThatThrownBy(() -> others.fetch(group))
                    .isInstanceOfSatisfying(
                            RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.FULL))
                    .hasMessageContaining("the device of " + folder);
        }
    }

    /** Each piece needs room for what follows it, not for the whole group again. */
    @Test
    void aCopyMayTakeMostOfTheDevice() throws Exception {
        byte[] bytes = new byte[5 * MEGABYTE];
        new Random(1).nextBytes(bytes);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        try (SmallDevice device = device()) {
            with(device.folder(), replica -> {
                for (int at = 0; at < bytes.length; at += MEGABYTE) {
                    replica.storeCopy(new Request.StoreCopy(
                            5,
                            MEGABYTE,
                            bytes.length,
                            (int) checksum.getValue(),
                            at,
                            ByteBuffer.wrap(bytes, at, MEGABYTE)));
                }
                assertThat(replica.use(MEGABYTE).sizeBytes()).isEqualTo(bytes.length);
            });
        }
    }

    private SmallDevice device() throws IOException, InterruptedException {
        try {
            return new SmallDevice(Files.createDirectory(folder.resolve("device")), 8 * MEGABYTE);
        } catch (Hosts.UnavailableException e) {
            throw new TestAbortedException(e.getMessage(), e);
        }
    }
}
