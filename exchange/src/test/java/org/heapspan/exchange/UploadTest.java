package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
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
        return ask(frames, inPlace(address, raw)) instanceof Reply.Refusal refusal ? refusal.code() : null;
    }

    /** With the checksum of zeros. */
    private static Request.Commit inPlace(long address, boolean raw) {
        CRC32C checksum = new CRC32C();
        checksum.update(new byte[4096]);
        return new Request.Commit(address, 4096, (int) checksum.getValue(), raw, true, false, "", 0, "T");
    }

    /** Raw bytes can do what code can do, so that they come only from who can write to the files. */
    @Test
    void bytesOfOneConnectionAreNotSaidToBeWrittenInPlaceOverAnother() throws Exception {
        long written = reserve(one);
        writeInPlace(written);
        assertThat(commit(other, written, true)).isNull();
        for (boolean raw : List.of(true, false)) {
            long address = reserve(one);
            sendPage(one, address, 0);
            // When its reply is here, the server has seen what came before.
            assertThat(ask(one, new Request.Ping())).isInstanceOf(Reply.Done.class);
            assertThat(commit(other, address, raw)).isEqualTo(RefusalCode.PROTOCOL);
            assertThat(commit(one, address, raw)).isEqualTo(RefusalCode.PROTOCOL);
        }
    }

    /** A client on another host can say that it has written to the files. Readers on the host of the server would trust the zeros that are there. */
    @Test
    void rawBytesThatNobodyHasWrittenAreRefused() throws Exception {
        long former = reserve(one);
        writeInPlace(former);
        // So that the file stays.
        long address = reserve(one);
        assertThat(ask(one, new Request.Release(new long[] {former}))).isInstanceOf(Reply.Done.class);
        assertThat(address).isGreaterThan(former);
        assertThat(page(address, 0)).containsOnly(0);
        assertThat(ask(other, inPlace(address, true))).isInstanceOfSatisfying(Reply.Refusal.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(RefusalCode.PROTOCOL);
            assertThat(refusal.reason()).contains("no image begins there", "compact images");
        });
        assertThat(ask(one, new Request.LocateAddress(address, false))).isInstanceOf(Reply.Refusal.class);
        writeInPlace(address);
        assertThat(commit(other, address, true)).isNull();
    }

    /** Whether a group is there is not to be found out by those who have not reserved it. */
    @Test
    void whoHasReservedNothingCommitsNothing() throws Exception {
        long address = reserve(one);
        writeInPlace(address);
        try (FrameLink stranger = connection(new byte[16])) {
            assertThat(commit(stranger, address, true)).isEqualTo(RefusalCode.GROUP_GONE);
            assertThat(commit(stranger, address + welcome.chunkBytes(), true)).isEqualTo(RefusalCode.GROUP_GONE);
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
        try (FileChannel file = FileChannel.open(chunk())) {
            while (bytes.hasRemaining()
                    && file.read(bytes, address % welcome.chunkBytes() + page * 4096L + bytes.position()) > 0) {
                // To its end.
            }
        }
        return bytes.array();
    }

    /** The beginning of an image, as a client on the host of the server writes it. */
    private void writeInPlace(long address) throws IOException {
        try (FileChannel file = FileChannel.open(chunk(), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap("HSPI\1\1\0\0".getBytes(US_ASCII)), address % welcome.chunkBytes());
        }
    }

    private Path chunk() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(welcome.directory()))) {
            return files.filter(each -> each.getFileName().toString().startsWith("chunk"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
