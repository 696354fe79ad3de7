package org.heapspan.exchange.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What both transports promise. */
@Timeout(120)
final class TransportTest {
    private static final int MEGABYTES = 8;

    @TempDir
    Path folder;

    static Stream<Endpoint> places() {
        return Stream.of(Endpoint.tcp("127.0.0.1", 0), Endpoint.inProcess("transport-test"));
    }

    private interface Pair {
        void use(Link client, Link server) throws Exception;
    }

    private static void connected(Endpoint place, Pair pair) throws Exception {
        Transport transport = Transport.of(place);
        try (LinkListener listener = transport.listen(place);
                Link client = transport.connect(listener.endpoint(), Deadline.afterMillis(30_000));
                Link server = listener.accept()) {
            pair.use(client, server);
        }
    }

    private static Deadline soon() {
        return Deadline.afterMillis(30_000);
    }

    @ParameterizedTest
    @MethodSource("places")
    void carriesBytesInBothDirections(Endpoint place) throws Exception {
        connected(place, (client, server) -> {
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

    @ParameterizedTest
    @MethodSource("places")
    void aReadEndsAtItsDeadline(Endpoint place) throws Exception {
        connected(place, (client, server) -> {
            long start = System.nanoTime();
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1), Deadline.afterMillis(50)))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessageContaining("reading from")
                    .hasMessageContaining("50 ms");
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
        });
    }

    /** Back pressure: the other end does not read. */
    @ParameterizedTest
    @MethodSource("places")
    void aWriteEndsAtItsDeadline(Endpoint place) throws Exception {
        connected(
                place,
                (client, server) -> assertThatThrownBy(
                                () -> client.write(ByteBuffer.allocate(64 << 20), Deadline.afterMillis(100)))
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessageContaining("writing to"));
    }

    @ParameterizedTest
    @MethodSource("places")
    void theEndOfTheOtherIsSeen(Endpoint place) throws Exception {
        connected(place, (client, server) -> {
            server.close();
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1), soon()))
                    .isInstanceOf(EOFException.class);
            assertThat(client.readSome(ByteBuffer.allocate(1), soon())).isEqualTo(-1);
            assertThat(client.isSilent()).isFalse();
        });
    }

    @ParameterizedTest
    @MethodSource("places")
    void closingEndsAWait(Endpoint place) throws Exception {
        connected(place, (client, server) -> {
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return server.readSome(ByteBuffer.allocate(1), Deadline.afterMillis(60_000));
                } catch (IOException e) {
                    return -2;
                }
            });
            TimeUnit.MILLISECONDS.sleep(50);
            server.close();
            assertThat(waiting.get(30, TimeUnit.SECONDS)).isNegative();
        });
    }

    @ParameterizedTest
    @MethodSource("places")
    void filesAreSentWholeWhileTheOtherReadsSlowly(Endpoint place) throws Exception {
        byte[] content = new byte[MEGABYTES << 20];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 31 >> 3);
        }
        Path file = Files.write(folder.resolve("file"), content);
        connected(place, (client, server) -> {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                    server.writeFile(channel, 1, content.length - 1, Deadline.afterMillis(60_000));
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            TimeUnit.MILLISECONDS.sleep(20);
            ByteBuffer received = ByteBuffer.allocate(content.length - 1);
            client.read(received, Deadline.afterMillis(60_000));
            sending.get(30, TimeUnit.SECONDS);
            assertThat(java.util.Arrays.equals(received.array(), 0, content.length - 1, content, 1, content.length))
                    .isTrue();
        });
    }

    @ParameterizedTest
    @MethodSource("places")
    void aFileThatIsTooShortIsAnError(Endpoint place) throws Exception {
        Path file = Files.write(folder.resolve("short"), new byte[10]);
        connected(place, (client, server) -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                assertThatThrownBy(() -> server.writeFile(channel, 5, 6, soon()))
                        .isInstanceOf(EOFException.class);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("places")
    void aPlaceIsTakenOnce(Endpoint place) throws Exception {
        Transport transport = Transport.of(place);
        Endpoint taken;
        try (LinkListener listener = transport.listen(place)) {
            taken = listener.endpoint();
            assertThatThrownBy(() -> transport.listen(taken)).isInstanceOf(BindException.class);
        }
        assertThatThrownBy(() -> transport.connect(taken, soon())).isInstanceOf(ConnectException.class);
        transport.listen(taken).close();
    }
}
