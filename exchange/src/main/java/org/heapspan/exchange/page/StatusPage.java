package org.heapspan.exchange.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.server.Server;
import org.heapspan.exchange.server.Traffic;
import org.heapspan.exchange.wire.SharedSecret;
import org.jspecify.annotations.Nullable;

/**
 * A page about a server, over HTTP. It listens at the loopback address only, and its address has a random token, so that other users of the host see
 * nothing. A request whose host is not this one is refused: pages of other sites cannot read it by a name that leads here. Thread-safe.
 */
public final class StatusPage implements Closeable {
    private static final int TOKEN_BYTES = 16;
    private static final int THREADS = 16;
    private static final Duration LIMIT_OF_CLIENT = Duration.ofSeconds(10);
    private static final int WAITING_CONNECTIONS = 16;
    private static final Set<String> OWN_NAMES = Set.of("127.0.0.1", "localhost", "[::1]");
    private static final Map<String, String> FILES = Map.of(
            "", "page.html",
            "page.js", "page.js",
            "page.css", "page.css");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8");

    private final Server server;
    private final String token = HexFormat.of().formatHex(SharedSecret.random(TOKEN_BYTES));
    private final TrafficHistory history;
    private final HttpServer http;
    private final AnswerThreads answers;
    private final ScheduledExecutorService clock;

    private StatusPage(Server server, int port) throws IOException {
        this.server = server;
        history = new TrafficHistory(new TrafficHistory.Source() {
            @Override
            public Traffic.Totals totals() {
                return server.traffic().totals();
            }

            @Override
            public long usedBytes() {
                return server.status().usedBytes();
            }
        });
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), WAITING_CONNECTIONS);
        ThreadFactory threads = work -> {
            Thread thread = new Thread(work, "heapspan-exchange-page");
            thread.setDaemon(true);
            return thread;
        };
        answers = new AnswerThreads(THREADS, LIMIT_OF_CLIENT, threads);
        clock = Executors.newSingleThreadScheduledExecutor(threads);
        http.setExecutor(answers);
        http.createContext("/", this::answer);
    }

    /**
     * Shows the page as long as it is not closed.
     *
     * @param port 0 for a free one
     * @throws IOException if the port is taken
     */
    public static StatusPage open(Server server, int port) throws IOException {
        StatusPage page = new StatusPage(server, port);
        ScheduledFuture<?> unused = page.clock.scheduleAtFixedRate(page.history, 1, 1, TimeUnit.SECONDS);
        page.http.start();
        return page;
    }

    /** For a browser on this host. */
    public String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/" + token + "/";
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = String.valueOf(exchange.getRequestURI().getPath());
            int slash = path.indexOf('/', 1);
            String method = exchange.getRequestMethod();
            if (!isOwnName(exchange.getRequestHeaders().getFirst("Host"))
                    || slash < 0
                    || !isToken(path.substring(1, slash))) {
                send(
                        exchange,
                        404,
                        "text/plain; charset=utf-8",
                        "nothing here: open the address that the server has shown");
            } else if (!method.equals("GET") && !method.equals("HEAD")) {
                send(exchange, 405, "text/plain; charset=utf-8", "only GET");
            } else {
                answer(exchange, path.substring(slash + 1));
            }
        }
    }

    private void answer(HttpExchange exchange, String name) throws IOException {
        String file = FILES.get(name);
        if (name.equals("status.json")) {
            send(exchange, 200, "application/json", answers.prepare(() -> PageData.of(server, history)));
        } else if (file != null) {
            send(exchange, 200, String.valueOf(TYPES.get(file.substring(file.indexOf('.') + 1))), resource(file));
        } else {
            send(exchange, 404, "text/plain; charset=utf-8", "no such page");
        }
    }

    private static boolean isOwnName(@Nullable String host) {
        return host != null && OWN_NAMES.contains(host.replaceFirst(":[0-9]{1,5}$", ""));
    }

    private boolean isToken(String text) {
        return MessageDigest.isEqual(text.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.US_ASCII));
    }

    private static String resource(String name) throws IOException {
        try (InputStream resource = StatusPage.class.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IOException("the jar has no " + name);
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void send(HttpExchange exchange, int code, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Cache-Control", "no-store");
        headers.set(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
                        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        boolean onlyHeaders = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(code, onlyHeaders ? -1 : body.length);
        if (!onlyHeaders) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        http.stop(0);
        answers.close();
    }
}
