package org.heapspan.exchange.page;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slow clients of the JDK's server, with fewer threads than such clients. */
@Timeout(Eventually.TEST_SECONDS)
final class AnswerThreadsTest {
    private static final int THREADS = 2;
    private static final int LIMIT_MILLIS = 500;

    /** More than the buffers of both ends hold. */
    private static final int LONG_ANSWER = 32 << 20;

    private final List<Socket> sockets = new ArrayList<>();
    private final AtomicInteger interrupted = new AtomicInteger();
    private AnswerThreads threads;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        threads = new AnswerThreads(THREADS, Duration.ofMillis(LIMIT_MILLIS), work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        });
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                boolean isLong = exchange.getRequestURI().getPath().equals("/long");
                byte[] body = isLong
                        ? new byte[LONG_ANSWER]
                        : threads.prepare(this::slowly).getBytes(US_ASCII);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
    }

    @AfterEach
    void end() throws IOException {
        for (Socket each : sockets) {
            each.close();
        }
        server.stop(0);
        threads.close();
    }

    /** A server may take longer than the clients may. */
    private String slowly() {
        try {
            TimeUnit.MILLISECONDS.sleep(2 * LIMIT_MILLIS);
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
        }
        return "done";
    }

    private void prepare() {
        try {
            threads.prepare(this::slowly);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Socket send(String text) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.getAddress().getPort());
        sockets.add(socket);
        socket.setSoTimeout(Eventually.MOST_MILLIS);
        socket.getOutputStream().write(text.getBytes(US_ASCII));
        return socket;
    }

    private static String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }

    private void anotherOneIsAnswered() throws IOException {
        assertThat(answer(send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")))
                .startsWith("HTTP/1.1 200 ")
                .endsWith("done");
        assertThat(interrupted).hasValue(0);
    }

    @Test
    void whoDoesNotCompleteARequestLosesTheConnection() throws Exception {
        Socket line = send("GET / HT");
        Socket headers = send("GET / HTTP/1.1\r\nHost: a\r\n");
        Socket third = send("G");
        anotherOneIsAnswered();
        for (Socket each : List.of(line, headers, third)) {
            assertThat(answer(each)).isEmpty();
        }
    }

    @Test
    void whoDoesNotTakeTheAnswerLosesTheConnection() throws Exception {
        Socket slow = send("GET /long HTTP/1.1\r\n\r\n");
        send("GET /long HTTP/1.1\r\n\r\n");
        send("GET /long HTTP/1.1\r\n\r\n");
        anotherOneIsAnswered();
        assertThat(slow.getInputStream().readNBytes(LONG_ANSWER).length).isLessThan(LONG_ANSWER);
    }

    /** Its thread is not interrupted when it does something else. */
    @Test
    void whoWasInTimeLeavesNothingBehind() throws Exception {
        CountDownLatch done = new CountDownLatch(2 * THREADS);
        for (int i = 0; i < THREADS; i++) {
            threads.execute(done::countDown);
        }
        for (int i = 0; i < THREADS; i++) {
            threads.execute(() -> {
                prepare();
                done.countDown();
            });
        }
        assertThat(done.await(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(interrupted).hasValue(0);
    }
}
