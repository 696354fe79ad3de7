package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.heapspan.testing.Certificates;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS between a keeper and its server, and between keepers. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class JoinedTlsTest {
    private static final int MEGABYTE = 1 << 20;
    private static final int GROUPS = 16;
    private static final byte[] SECRET = "0123456789abcdef-joined-tls".getBytes(US_ASCII);

    @TempDir
    static Path folder;

    private static Certificates certificates;

    private ExchangeServer origin;
    private GlobalHeap writer;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new Certificates(folder);
        certificates.make("root", "-ext", "bc:c");
        certificates.make("server", "-signer", "root", "-ext", "san=ip:127.0.0.1");
        // What clients of its host connect to, and where the server sees it: this is another name for a keeper.
        certificates.make("keeper", "-signer", "root", "-ext", "san=dns:localhost,ip:127.0.0.1");
        certificates.make("keeper-by-name", "-signer", "root", "-ext", "san=dns:localhost");
        certificates.make("other", "-ext", "san=ip:127.0.0.1");
    }

    @BeforeEach
    void start() throws IOException {
        origin = ExchangeServer.start(Place.SAME_HOST
                .server()
                .withSecret(SECRET)
                .withTls(certificates.certificate("server"), certificates.key("server")));
        writer = GlobalHeap.connect(origin.url(), client());
    }

    @AfterEach
    void end() throws IOException {
        writer.close();
        origin.close();
    }

    private static GlobalHeapOptions client() throws IOException {
        return GlobalHeapOptions.defaults().withSecret(SECRET).withTlsTrust(certificates.certificate("root"));
    }

    private static ExchangeServerOptions keeper(String url, String name) throws IOException {
        return Place.SAME_HOST
                .server()
                .withSecret(SECRET)
                .joining(url, certificates.certificate("root"))
                .withTls(certificates.certificate(name), certificates.key(name));
    }

    private static GlobalHeap connect(ExchangeServer keeper) throws IOException {
        return GlobalHeap.connect(keeper.url().replace("127.0.0.1", "localhost"), client());
    }

    @Test
    void objectsPassThroughAKeeper() throws Exception {
        Model model = new Model("of the server", 300_000);
        try (Relay relay = new Relay(origin.url());
                ExchangeServer keeper = ExchangeServer.start(keeper(relay.url(), "keeper"));
                GlobalHeap heap = connect(keeper)) {
            assertThat(heap.sharesMemory()).isTrue();
            writer.put("some key", model);
            assertThat(model.isSame(heap.get("some key", Model.class))).isTrue();
            heap.put("another key", "some value");
            assertThat(writer.get("another key", String.class)).isEqualTo("some value");
            assertThat(relay.heard.toString(ISO_8859_1))
                    .doesNotContain("some key", "another key", "some value", "of the server");
        }
    }

    /** Clients of its own host may use a keeper without TLS: it needs a certificate for other hosts only. */
    @Test
    void aKeeperWithoutACertificateJoins() throws Exception {
        ExchangeServerOptions options =
                Place.SAME_HOST.server().withSecret(SECRET).joining(origin.url(), certificates.certificate("root"));
        try (ExchangeServer keeper = ExchangeServer.start(options);
                GlobalHeap heap = GlobalHeap.connect(
                        keeper.url(), GlobalHeapOptions.defaults().withSecret(SECRET))) {
            writer.put("k", "value");
            assertThat(heap.get("k", String.class)).isEqualTo("value");
        }
    }

    @Test
    void aKeeperChecksTheServer() throws Exception {
        ExchangeServerOptions options = Place.SAME_HOST.server().withSecret(SECRET);
        assertThatThrownBy(() -> ExchangeServer.start(options.joining(origin.url(), certificates.certificate("other"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the certificate of the server is not trusted");
        String byName = origin.url().replace("127.0.0.1", "localhost");
        assertThatThrownBy(() -> ExchangeServer.start(options.joining(byName, certificates.certificate("root"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not that of host 'localhost'");
        assertThatThrownBy(() -> ExchangeServer.start(options.joining(origin.url())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("both ends must use TLS");
    }

    /** How many bytes the server has sent to a second keeper that reads what a first one has. */
    private int sentByServer(String nameOfFirst) throws Exception {
        try (Relay relay = new Relay(origin.url());
                ExchangeServer first = ExchangeServer.start(keeper(origin.url(), nameOfFirst));
                GlobalHeap atFirst = connect(first);
                ExchangeServer second = ExchangeServer.start(keeper(relay.url(), "keeper"));
                GlobalHeap atSecond = connect(second)) {
            for (int i = 0; i < GROUPS; i++) {
                byte[] bytes = new byte[MEGABYTE + i];
                writer.put("k" + i, bytes);
                assertThat(atFirst.get("k" + i, byte[].class)).isEqualTo(bytes);
                assertThat(atSecond.get("k" + i, byte[].class)).isEqualTo(bytes);
            }
            synchronized (relay.heard) {
                return relay.heard.size();
            }
        }
    }

    /** They connect to the address at which the server sees the other one. */
    @Test
    void keepersFetchFromEachOther() throws Exception {
        assertThat(sentByServer("keeper")).isLessThan((GROUPS - 1) * MEGABYTE);
    }

    @Test
    void aKeeperWhoseCertificateDoesNotNameItsAddressIsNotAsked() throws Exception {
        assertThat(sentByServer("keeper-by-name")).isGreaterThan(GROUPS * MEGABYTE);
    }
}
