package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.transport.TcpTransport;
import org.heapspan.exchange.wire.FrameLink;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.Message;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.exchange.wire.SharedSecret;
import org.heapspan.testing.Eventually;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bytes of one group, and what is said of them, come through several connections of a session. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class UploadTest {
    private static final byte[] SECRET = "0123456789abcdef".getBytes(US_ASCII);
    private static final int GROUP_BYTES = 3 * 4096;

    @TempDir
    Path folder;

    private ExchangeServer server;
    private Handshake.Welcome welcome;
    private FrameLink one;
    private FrameLink other;

    @BeforeEach
    void connect() throws IOException {
        server = ExchangeServer.start(
                Place.SAME_HOST.server().withDirectory(folder).withSecret(SECRET));
        one = connection(new byte[16]);
        other = connection(welcome.session());
    }

    @AfterEach
    void end() throws IOException {
        one.close();
        other.close();
        server.close();
    }

    private static Deadline soon() {
        return Deadline.afterMillis(Eventually.MOST_MILLIS);
    }

    private FrameLink connection(byte[] session) throws IOException {
        FrameLink frames = new FrameLink(new TcpTransport().connect(Endpoint.parse(server.url()), soon()));
        SharedSecret secret = new SharedSecret(SECRET);
        Handshake.Hello hello = new Handshake.Hello(SharedSecret.random(32), session);
        frames.send(hello, soon());
        Handshake.Challenge challenge = (Handshake.Challenge) frames.receive(soon());
        frames.send(new Handshake.Proof(secret.proofOfClient(hello, challenge)), soon());
        welcome = (Handshake.Welcome) frames.receive(soon());
        frames.establish(secret.keyOfFrames(hello, challenge), true);
        return frames;
    }

    private static Message ask(FrameLink frames, Request request) throws IOException {
        frames.send(request, soon());
        return frames.receive(soon());
    }

    private static long reserve(FrameLink frames) throws IOException {
        return ((Reply.Reserved) ask(frames, new Request.Reserve(GROUP_BYTES))).address();
    }

    /** A page of ones. */
    private static void sendPage(FrameLink frames, long address, int page) throws IOException {
        byte[] bytes = new byte[4096];
        Arrays.fill(bytes, (byte) 1);
        frames.send(new Request.Data(address, page * 4096L, ByteBuffer.wrap(bytes)), soon());
    }

    private static @Nullable RefusalCode commit(FrameLink frames, long address, boolean raw) throws IOException {
        Request.Commit commit = new Request.Commit(address, 4096, 0, raw, true, false, "", 0, "T");
        return ask(frames, commit) instanceof Reply.Refusal refusal ? refusal.code() : null;
    }

    /** Raw bytes can do what code can do, so that they come only from who can write to the files. */
    @Test
    void bytesOfOneConnectionAreNotSaidToBeWrittenInPlaceOverAnother() throws Exception {
        assertThat(commit(other, reserve(one), true)).isNull();
        for (boolean raw : List.of(true, false)) {
            long address = reserve(one);
            sendPage(one, address, 0);
            // When its reply is here, the server has seen what came before.
            assertThat(ask(one, new Request.Ping())).isInstanceOf(Reply.Done.class);
            assertThat(commit(other, address, raw)).isEqualTo(RefusalCode.PROTOCOL);
            assertThat(commit(one, address, raw)).isEqualTo(RefusalCode.PROTOCOL);
        }
    }

    /** Its pages were given back, and nobody would give them back again. */
    @Test
    void aPieceThatComesWhenItsSpaceIsGoneIsNotWritten() throws Exception {
        long address = reserve(one);
        // Another group, so that the file stays.
        reserve(one);
        sendPage(one, address, 0);
        assertThat(ask(one, new Request.Ping())).isInstanceOf(Reply.Done.class);
        assertThat(page(address, 0)).containsOnly(1);
        assertThat(ask(other, new Request.Release(new long[] {address}))).isInstanceOf(Reply.Done.class);
        assertThat(page(address, 0)).containsOnly(0);
        sendPage(one, address, 1);
        assertThat(ask(one, new Request.Ping())).isInstanceOf(Reply.Done.class);
        assertThat(page(address, 1)).containsOnly(0);
        Request.Commit commit = new Request.Commit(address, 2 * 4096, 0, false, false, false, "", 0, "T");
        assertThat(ask(one, commit))
                .isInstanceOfSatisfying(
                        Reply.Refusal.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.GROUP_GONE));
    }

    private byte[] page(long address, int page) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4096);
        try (Stream<Path> files = Files.list(Path.of(welcome.directory()))) {
            Path chunk = files.filter(each -> each.getFileName().toString().startsWith("chunk"))
                    .findFirst()
                    .orElseThrow();
            try (FileChannel file = FileChannel.open(chunk)) {
                while (bytes.hasRemaining()
                        && file.read(bytes, address % welcome.chunkBytes() + page * 4096L + bytes.position()) > 0) {
                    // To its end.
                }
            }
        }
        return bytes.array();
    }
}
