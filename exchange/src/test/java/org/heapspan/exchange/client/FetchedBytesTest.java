package org.heapspan.exchange.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.InProcessTransport;
import org.heapspan.exchange.transport.Link;
import org.heapspan.exchange.transport.LinkListener;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.FrameSeal;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A receiver with a secret gives away only pieces that were not changed, each once and in its place. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class FetchedBytesTest {
    private static final byte[] KEY = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    private static final int PIECES = 4;
    private static final int LAST_BYTES = 5;

    private final byte[] group = new byte[(PIECES - 1) * FrameSeal.PIECE_BYTES + LAST_BYTES];

    FetchedBytesTest() {
        new Random(5).nextBytes(group);
    }

    private interface LinkUse<T> {
        T of(Link from, Link to) throws Exception;
    }

    private static <T> T connected(LinkUse<T> use) throws Exception {
        Endpoint place = Endpoint.inProcess("fetched-bytes-test");
        try (LinkListener listener = new InProcessTransport().listen(place);
                Link to = new InProcessTransport().connect(place, soon());
                Link from = listener.accept()) {
            return use.of(from, to);
        }
    }

    private static Deadline soon() {
        return Deadline.after(Duration.ofSeconds(Eventually.MOST_SECONDS));
    }

    private static FrameLink established(Link link, boolean client) {
        FrameLink frames = new FrameLink(link);
        frames.establish(KEY, client);
        return frames;
    }

    private static FrameSeal present(FrameSeal seal) {
        assertThat(seal).isNotNull();
        return seal;
    }

    /** Each piece, and its tag behind it. */
    private byte[][] sealed(boolean ofServer) throws Exception {
        return connected((from, to) -> {
            FrameSeal seal = present(established(from, !ofServer).sealOfSent());
            byte[][] sealed = new byte[PIECES][];
            for (int i = 0; i < PIECES; i++) {
                int begin = i * FrameSeal.PIECE_BYTES;
                int length = Math.min(FrameSeal.PIECE_BYTES, group.length - begin);
                ByteBuffer piece = ByteBuffer.wrap(group, begin, length);
                sealed[i] = ByteBuffer.allocate(length + FrameSeal.TAG_BYTES)
                        .put(piece.duplicate())
                        .put(seal.nextPiece(piece))
                        .array();
            }
            return sealed;
        });
    }

    /** How many bytes the receiver gives away. */
    private int given(byte[]... pieces) throws Exception {
        return connected((from, to) -> {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(from, pieces));
            ByteBuffer given = ByteBuffer.allocate(group.length);
            try {
                fetched(to).forEachBlock(given::put);
                assertThat(given.position()).isEqualTo(group.length);
            } catch (MalformedFrameException e) {
                assertThat(e).hasMessageContaining("its authentication fails");
                assertThat(given.position()).isLessThan(group.length);
            } catch (EOFException e) {
                assertThat(e).hasMessageContaining("has closed the connection");
                assertThat(given.position()).isLessThan(group.length);
            }
            to.close();
            sending.exceptionally(failure -> null).join();
            assertThat(Arrays.copyOf(given.array(), given.position()))
                    .isEqualTo(Arrays.copyOf(group, given.position()));
            return given.position();
        });
    }

    private static void send(Link link, byte[]... pieces) {
        try {
            for (byte[] piece : pieces) {
                link.write(ByteBuffer.wrap(piece), soon());
            }
            link.close();
        } catch (IOException e) {
            // The receiver has heard enough.
            throw new UncheckedIOException(e);
        }
    }

    private FetchedBytes fetched(Link link) {
        CRC32C checksum = new CRC32C();
        checksum.update(group);
        GroupDescription description =
                new GroupDescription(4096, group.length, (int) checksum.getValue(), false, "byte[]", 1);
        return new FetchedBytes(
                link,
                established(link, true).sealOfReceived(),
                description,
                Duration.ofSeconds(Eventually.MOST_SECONDS));
    }

    /** Changed, reordered, repeated, dropped, of another place, of the other direction, without an end. */
    @Test
    void aPieceIsGivenAwayOnceAndInItsPlace() throws Exception {
        byte[][] all = sealed(true);
        int one = FrameSeal.PIECE_BYTES;
        assertThat(given(all)).isEqualTo(group.length);
        assertThat(given(all[1], all[0], all[2], all[3])).isZero();
        assertThat(given(all[0], all[0], all[2], all[3])).isEqualTo(one);
        assertThat(given(all[0], all[2], all[3])).isEqualTo(one);
        assertThat(given(all[0], all[1], all[2])).isEqualTo(3 * one);
        assertThat(given(all[0])).isEqualTo(one);
        assertThat(given(Arrays.copyOf(all[0], one))).isZero();
        assertThat(given(sealed(false))).isZero();
        for (int at : new int[] {0, one - 1, one, one + FrameSeal.TAG_BYTES - 1}) {
            byte[] changed = all[0].clone();
            changed[at] ^= 1;
            assertThat(given(changed, all[1], all[2], all[3])).isZero();
        }
        byte[] shorter = new byte[LAST_BYTES - 1 + FrameSeal.TAG_BYTES];
        System.arraycopy(all[3], 1, shorter, 0, shorter.length);
        assertThat(given(all[0], all[1], all[2], shorter)).isEqualTo(3 * one);
    }
}
