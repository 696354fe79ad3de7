package org.heapspan.exchange.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import org.heapspan.testing.Certificates;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What both transports promise, and TLS over them. */
@Timeout(Eventually.TEST_SECONDS)
final class TransportTest {
    private static final int MEGABYTES = 8;

    @TempDir
    Path folder;

    @TempDir
    static Path keys;

    private static Certificates certificates;

    /** A place, and whether connections to it are within TLS. */
    private record Way(Endpoint place, boolean encrypted) {}

    static Stream<Way> ways() {
        Endpoint tcp = Endpoint.tcp("127.0.0.1", 0);
        return Stream.of(new Way(tcp, false), new Way(tcp, true), new Way(Endpoint.inProcess("transport-test"), false));
    }

    @BeforeAll
    static void makeCertificate() throws Exception {
        certificates = new Certificates(keys);
        certificates.make("server", "-ext", "san=ip:127.0.0.1");
    }

    private interface Pair {
        void use(Link client, Link server) throws Exception;
    }

    private static void connected(Way way, Pair pair) throws Exception {
        Transport transport = Transport.of(way.place);
        try (LinkListener listener = transport.listen(way.place);
                Link client = transport.connect(listener.endpoint(), Deadline.afterMillis(Eventually.MOST_MILLIS));
                Link server = listener.accept()) {
            if (way.encrypted) {
                encrypted(listener.endpoint(), client, server, pair);
            } else {
                pair.use(client, server);
            }
        }
    }

    private static void encrypted(Endpoint place, Link clientSocket, Link serverSocket, Pair pair) throws Exception {
        Link client = ClientTls.trusting(certificates.certificate("server")).over(clientSocket, place);
        Link server = ServerTls.read(certificates.certificate("server"), certificates.key("server"))
                .over(serverSocket);
        CompletableFuture<Void> greeting = CompletableFuture.runAsync(() -> {
            try {
                server.read(ByteBuffer.allocate(1), soon());
                server.write(ByteBuffer.allocate(1), soon());
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        client.write(ByteBuffer.allocate(1), soon());
        client.read(ByteBuffer.allocate(1), soon());
        greeting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        pair.use(client, server);
    }

    private static Deadline soon() {
        return Deadline.afterMillis(Eventually.MOST_MILLIS);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void carriesBytesInBothDirections(Way way) throws Exception {
        connected(way, (client, server) -> {
            client.write(ByteBuffer.wrap("request".getBytes(US_ASCII)), soon());
            ByteBuffer request = ByteBuffer.allocate(7);
            server.read(request, soon());
            assertThat(new String(request.array(), US_ASCII)).isEqualTo("request");
            assertThat(client.isSilent()).isTrue();
            server.write(ByteBuffer.wrap("reply".getBytes(US_ASCII)), soon());
            ByteBuffer reply = ByteBuffer.allocate(5);
            client.read(reply, soon());
            assertThat(new String(reply.array(), US_ASCII)).isEqualTo("reply");
        });
    }

    /** Also if it is longer than what is read ahead, and in parts that end elsewhere. */
    @ParameterizedTest
    @MethodSource("ways")
    void bytesAreReadInAnyParts(Way way) throws Exception {
        connected(way, (client, server) -> {
            byte[] sent = new byte[100_000];
            new Random(20_261_126).nextBytes(sent);
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    server.write(ByteBuffer.wrap(sent), soon());
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            ByteBuffer read = ByteBuffer.allocate(sent.length);
            for (int length = 1; read.hasRemaining(); length = 3 * length % 20_011) {
                read.limit(Math.min(sent.length, read.position() + length));
                client.read(read, soon());
                read.limit(sent.length);
            }
            sending.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            assertThat(read.array()).isEqualTo(sent);
            assertThat(client.isSilent()).isTrue();
            server.write(ByteBuffer.allocate(2), soon());
            assertThat(client.readSome(ByteBuffer.allocate(1), soon())).isEqualTo(1);
            assertThat(client.isSilent()).as("a byte is left").isFalse();
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aReadEndsAtItsDeadline(Way way) throws Exception {
        connected(way, (client, server) -> {
            long start = System.nanoTime();
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1), Deadline.afterMillis(50)))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageContaining("reading from")
                    .hasMessageContaining("50 ms");
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
        });
    }

    /** The other end sends messages of TLS (KeyUpdate) without end: nothing has to be waited for, and nothing comes of it. */
    @Test
    void aReadEndsAtItsDeadlineWhileNewKeysCome() throws Exception {
        Endpoint place = Endpoint.tcp("127.0.0.1", 0);
        SSLEngine engine = trusting(certificates.certificate("server")).createSSLEngine();
        engine.setUseClientMode(true);
        Transport transport = Transport.of(place);
        try (LinkListener listener = transport.listen(place);
                Link clientSocket = transport.connect(listener.endpoint(), soon());
                Link serverSocket = listener.accept()) {
            Flooded flooded = new Flooded(serverSocket, engine);
            Link server = ServerTls.read(certificates.certificate("server"), certificates.key("server"))
                    .over(flooded);
            Link client = new TlsLink(clientSocket, engine);
            CompletableFuture<Void> greeting = CompletableFuture.runAsync(() -> {
                try {
                    client.write(ByteBuffer.allocate(1), soon());
                    client.read(ByteBuffer.allocate(1), soon());
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            server.read(ByteBuffer.allocate(1), soon());
            server.write(ByteBuffer.allocate(1), soon());
            greeting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            flooded.begun = true;
            assertThatThrownBy(() -> server.read(ByteBuffer.allocate(1), Deadline.afterMillis(20)))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    private static SSLContext trusting(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream file = Files.newInputStream(certificate)) {
            store.setCertificateEntry(
                    "server", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(store);
        SSLContext context = SSLContext.getInstance(TlsLink.PROTOCOL);
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** A connection whose other end changes its keys whenever it is read, up to a limit, and takes what is written. */
    private static final class Flooded implements Link {
        private static final int MOST_RECORDS = 10_000;

        private final Link link;
        private final SSLEngine sender;
        private final ByteBuffer record;
        private int records;
        private volatile boolean begun;

        Flooded(Link link, SSLEngine sender) {
            this.link = link;
            this.sender = sender;
            record = ByteBuffer.allocate(sender.getSession().getPacketBufferSize());
        }

        @Override
        public String peer() {
            return link.peer();
        }

        @Override
        public boolean isOfThisUser() throws IOException {
            return link.isOfThisUser();
        }

        @Override
        public int readSome(ByteBuffer target, Deadline deadline) throws IOException {
            if (!begun) {
                return link.readSome(target, deadline);
            }
            if (++records > MOST_RECORDS) {
                throw new EOFException(MOST_RECORDS + " records were read after the deadline");
            }
            sender.beginHandshake();
            int length = sender.wrap(ByteBuffer.allocate(0), record.clear()).bytesProduced();
            target.put(record.flip());
            return length;
        }

        @Override
        public void write(ByteBuffer source, Deadline deadline) throws IOException {
            if (begun) {
                source.position(source.limit());
            } else {
                link.write(source, deadline);
            }
        }

        @Override
        public boolean isSilent() {
            return link.isSilent();
        }

        @Override
        public void close() {
            link.close();
        }
    }

    /** Back pressure: the other end does not read. */
    @ParameterizedTest
    @MethodSource("ways")
    void aWriteEndsAtItsDeadline(Way way) throws Exception {
        connected(
                way,
                (client, server) -> assertThatThrownBy(
                                () -> client.write(ByteBuffer.allocate(64 << 20), Deadline.afterMillis(100)))
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessageContaining("writing to"));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theEndOfTheOtherIsSeen(Way way) throws Exception {
        connected(way, (client, server) -> {
            server.close();
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1), soon()))
                    .isInstanceOf(EOFException.class);
            assertThat(client.readSome(ByteBuffer.allocate(1), soon())).isEqualTo(-1);
            assertThat(client.isSilent()).isFalse();
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void closingEndsAWait(Way way) throws Exception {
        connected(way, (client, server) -> {
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return server.readSome(ByteBuffer.allocate(1), Deadline.afterMillis(Eventually.MOST_MILLIS));
                } catch (IOException e) {
                    return -2;
                }
            });
            TimeUnit.MILLISECONDS.sleep(50);
            server.close();
            assertThat(waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isNegative();
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void filesAreSentWholeWhileTheOtherReadsSlowly(Way way) throws Exception {
        byte[] content = new byte[MEGABYTES << 20];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 31 >> 3);
        }
        Path file = Files.write(folder.resolve("file"), content);
        connected(way, (client, server) -> {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                    server.writeFile(channel, 1, content.length - 1, Deadline.afterMillis(Eventually.MOST_MILLIS));
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            TimeUnit.MILLISECONDS.sleep(20);
            ByteBuffer received = ByteBuffer.allocate(content.length - 1);
            client.read(received, Deadline.afterMillis(Eventually.MOST_MILLIS));
            sending.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            assertThat(java.util.Arrays.equals(received.array(), 0, content.length - 1, content, 1, content.length))
                    .isTrue();
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aFileThatIsTooShortIsAnError(Way way) throws Exception {
        Path file = Files.write(folder.resolve("short"), new byte[10]);
        connected(way, (client, server) -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                assertThatThrownBy(() -> server.writeFile(channel, 5, 6, soon()))
                        .isInstanceOf(EOFException.class);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aPlaceIsTakenOnce(Way way) throws Exception {
        Transport transport = Transport.of(way.place);
        Endpoint taken;
        try (LinkListener listener = transport.listen(way.place)) {
            taken = listener.endpoint();
            assertThatThrownBy(() -> transport.listen(taken)).isInstanceOf(BindException.class);
        }
        assertThatThrownBy(() -> transport.connect(taken, soon())).isInstanceOf(ConnectException.class);
        transport.listen(taken).close();
    }
}
