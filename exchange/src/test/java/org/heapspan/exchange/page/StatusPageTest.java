package org.heapspan.exchange.page;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(Eventually.TEST_SECONDS)
@Tag("once")
final class StatusPageTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static ExchangeServerOptions options() {
        return ExchangeServerOptions.port(0).withMemory(1 << 24).withPage(0);
    }

    private static HttpResponse<String> request(String method, String url) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(url))
                        .timeout(Duration.ofSeconds(Eventually.MOST_SECONDS))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void thePageAndItsNumbersAreServed() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options());
                GlobalHeap heap = GlobalHeap.connect(server.url())) {
            heap.put("some/<script>key\u00e4", new int[1000]);
            String url = server.pageUrl().orElseThrow();
            HttpResponse<String> page = request("GET", url);
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.headers().firstValue("content-security-policy"))
                    .hasValueSatisfying(policy -> assertThat(policy).contains("default-src 'none'"));
            // Nothing of other places.
            assertThat(page.body()).contains("id=\"key-table\"").doesNotContain("http:", "https:", "//");
            assertThat(request("GET", url + "page.js").headers().firstValue("content-type"))
                    .hasValue("text/javascript; charset=utf-8");
            assertThat(request("GET", url + "page.css").statusCode()).isEqualTo(200);
            assertThat(request("GET", url + "status.json").body())
                    .contains("\"keys\":1,\"groups\":1,\"clients\":1")
                    .contains("\"key\":\"some/<script>key\\u00e4\"", "\"type\":\"[I\"")
                    .contains("\"peerRows\":[],\"keeperRows\":[]", "\"chunks\":1", "\"history\":{\"readBytes\":[");
            HttpResponse<String> head = request("HEAD", url);
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
        }
    }

    @Test
    void keepersAreShown() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options());
                ExchangeServer keeper = ExchangeServer.start(options().joining(server.url()));
                GlobalHeap heap = GlobalHeap.connect(keeper.url())) {
            heap.put("k", new int[100_000]);
            assertThat(request("GET", server.pageUrl().orElseThrow() + "status.json")
                            .body())
                    .contains("\"joined\":\"\"", "\"copies\":1", "\"place\":\"" + keeper.url() + "\"");
            assertThat(request("GET", keeper.pageUrl().orElseThrow() + "status.json")
                            .body())
                    .contains("\"joined\":\"" + server.url() + "\"", "\"keys\":1,\"groups\":1");
        }
    }

    @Test
    void whoDoesNotKnowTheAddressSeesNothing() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(options())) {
            String url = server.pageUrl().orElseThrow();
            URI address = URI.create(url);
            String root = "http://127.0.0.1:" + address.getPort() + "/";
            String changed = url.substring(0, url.length() - 2) + (url.endsWith("0/") ? "1/" : "0/");
            for (String other :
                    new String[] {root, root + "status.json", root + "//", changed, changed + "status.json"}) {
                assertThat(request("GET", other).statusCode()).as(other).isEqualTo(404);
            }
            assertThat(request("GET", url + "../page.css").statusCode()).isEqualTo(404);
            assertThat(request("GET", url + "page.html").statusCode()).isEqualTo(404);
            assertThat(request("POST", url + "status.json").statusCode()).isEqualTo(405);
            assertThat(statusOf(address, address.getPath(), "localhost:" + address.getPort()))
                    .contains(" 200 ");
            // A site that has made its own name lead to this host.
            assertThat(statusOf(address, address.getPath(), "evil.example:" + address.getPort()))
                    .contains(" 404 ");
            assertThat(InetAddress.getByName(address.getHost()).isLoopbackAddress())
                    .isTrue();
        }
    }

    @Test
    void othersAreAnsweredWhileRequestsAreHalfSent() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try (ExchangeServer server = ExchangeServer.start(options())) {
            String url = server.pageUrl().orElseThrow();
            for (int i = 0; i < 8; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), URI.create(url).getPort());
                slow.add(socket);
                socket.getOutputStream().write("GET / HT".getBytes(US_ASCII));
            }
            assertThat(request("GET", url + "status.json").statusCode()).isEqualTo(200);
        } finally {
            for (Socket each : slow) {
                each.close();
            }
        }
    }

    /** Java's client does not send any host. */
    private static String statusOf(URI address, String path, String host) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
            socket.setSoTimeout(30_000);
            OutputStream out = socket.getOutputStream();
            out.write(("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                    .getBytes(US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
            return answer.lines().findFirst().orElse("");
        }
    }

    @Test
    void thereIsNoPageUnlessItIsAskedForAndItEndsWithItsServer() throws Exception {
        try (ExchangeServer server =
                ExchangeServer.start(ExchangeServerOptions.port(0).withMemory(1 << 24))) {
            assertThat(server.pageUrl()).isEmpty();
        }
        ExchangeServer server = ExchangeServer.start(options());
        String url = server.pageUrl().orElseThrow();
        int port = URI.create(url).getPort();
        assertThatThrownBy(() -> ExchangeServer.start(options().withPage(port))).isInstanceOf(IOException.class);
        server.close();
        assertThatThrownBy(() -> request("GET", url)).isInstanceOf(IOException.class);
    }
}
