package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Certificates;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class TlsTest {
    private static final byte[] SECRET = "0123456789abcdef-tls".getBytes(US_ASCII);

    @TempDir
    static Path folder;

    private static Certificates certificates;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new Certificates(folder);
        certificates.make("root", "-ext", "bc:c");
        certificates.make("server", "-signer", "root", "-ext", "san=ip:127.0.0.1,dns:other.example");
        certificates.make(
                "expired", "-signer", "root", "-startdate", "-3d", "-validity", "2", "-ext", "san=ip:127.0.0.1");
        certificates.make("alone", "-keyalg", "RSA", "-keysize", "2048", "-ext", "san=ip:127.0.0.1");
    }

    private static ExchangeServerOptions server(Place place, String name) throws IOException {
        return place.server().withTls(certificates.certificate(name), certificates.key(name));
    }

    private static GlobalHeapOptions client(Place place, String trusted) throws IOException {
        return place.client().withTlsTrust(certificates.certificate(trusted));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void objectsAreSharedAsWithoutIt(Place place) throws Exception {
        Model model = new Model("encrypted", 300_000);
        try (ExchangeServer server = ExchangeServer.start(server(place, "server"));
                GlobalHeap heap = GlobalHeap.connect(server.url(), client(place, "root"))) {
            heap.put("k", model);
            heap.put("short", "value");
            assertThat(model.isSame(heap.get("k", Model.class))).isTrue();
            assertThat(heap.get("short", String.class)).isEqualTo("value");
            assertThat(heap.sharesMemory()).isEqualTo(place != Place.OTHER_HOST);
            fails(Reason.KEY_MISSING, () -> heap.get("missing", Object.class, Duration.ZERO));
        }
    }

    @Test
    void aCertificateThatSignsItselfIsTrustedByName() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(server(Place.OTHER_HOST, "alone"));
                GlobalHeap heap = GlobalHeap.connect(server.url(), client(Place.OTHER_HOST, "alone"))) {
            heap.put("k", "v");
            assertThat(heap.get("k", String.class)).isEqualTo("v");
        }
    }

    @Test
    void theSecretIsNeededToo() throws Exception {
        Model model = new Model("secret", 30_000);
        try (ExchangeServer server =
                        ExchangeServer.start(server(Place.OTHER_HOST, "server").withSecret(SECRET));
                GlobalHeap heap = GlobalHeap.connect(
                        server.url(), client(Place.OTHER_HOST, "root").withSecret(SECRET))) {
            heap.put("k", model);
            assertThat(model.isSame(heap.get("k", Model.class))).isTrue();
            fails(Reason.SECRET, () -> GlobalHeap.connect(server.url(), client(Place.OTHER_HOST, "root")));
        }
    }

    /** A listener on the way hears nothing of keys and objects, and what it changes is noticed. */
    @Test
    void nobodyOnTheWayReadsAnything() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(server(Place.OTHER_HOST, "server"));
                ExchangeServer open = ExchangeServer.start(Place.OTHER_HOST.server());
                Relay relay = new Relay(server.url());
                Relay openRelay = new Relay(open.url())) {
            try (GlobalHeap heap = GlobalHeap.connect(relay.url(), client(Place.OTHER_HOST, "root"));
                    GlobalHeap openHeap = GlobalHeap.connect(openRelay.url(), Place.OTHER_HOST.client())) {
                heap.put("some key", "some value");
                openHeap.put("some key", "some value");
                assertThat(heap.get("some key", String.class)).isEqualTo("some value");
            }
            assertThat(openRelay.heard.toString(ISO_8859_1)).contains("some key", "some value");
            assertThat(relay.heard.toString(ISO_8859_1)).doesNotContain("some key", "some value");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "alone   | root    | 127.0.0.1 | is not trusted: nothing in",
                "server  | alone   | 127.0.0.1 | is not trusted: nothing in",
                "server  | root    | localhost | is not that of host 'localhost': No subject alternative DNS name",
                "alone   | alone   | localhost | is not that of host 'localhost': No",
                "expired | root    | 127.0.0.1 | has expired: NotAfter",
                "expired | expired | 127.0.0.1 | has expired: NotAfter",
            })
    void aCertificateThatIsNotAcceptedIsTold(String certificate, String trusted, String host, String expected)
            throws Exception {
        try (ExchangeServer server = ExchangeServer.start(server(Place.OTHER_HOST, certificate))) {
            String url = server.url().replace("127.0.0.1", host);
            assertThatThrownBy(() -> GlobalHeap.connect(url, client(Place.OTHER_HOST, trusted)))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TLS))
                    .hasMessageContaining("connecting to " + url)
                    .hasMessageContaining("the certificate of the server " + expected);
            assertThat(server.status().sessions()).isZero();
        }
    }

    @Test
    void whoIsOneTooManyIsToldSo() throws Exception {
        try (ExchangeServer server =
                        ExchangeServer.start(server(Place.OTHER_HOST, "server").withConnections(1));
                GlobalHeap heap = GlobalHeap.connect(
                        server.url(), client(Place.OTHER_HOST, "root").withConnections(1))) {
            for (int i = 0; i < 5; i++) {
                fails(Reason.BUSY, () -> GlobalHeap.connect(server.url(), client(Place.OTHER_HOST, "root")));
            }
            heap.put("k", "v");
        }
    }

    @Test
    void bothEndsUseItOrNone() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(server(Place.OTHER_HOST, "server"));
                ExchangeServer open = ExchangeServer.start(Place.OTHER_HOST.server())) {
            assertThatThrownBy(() -> GlobalHeap.connect(open.url(), client(Place.OTHER_HOST, "root")))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TLS))
                    .hasMessageContaining("does not speak TLS");
            assertThatThrownBy(() -> GlobalHeap.connect(server.url(), Place.OTHER_HOST.client()))
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PROTOCOL))
                    .hasMessageContaining("speaks TLS")
                    .hasMessageContaining("both ends must use TLS");
        }
    }

    @Test
    void whoSendsOtherBytesOrNoneEndsItsOwnConnectionOnly() throws Exception {
        Random random = new Random(7);
        try (ExchangeServer server =
                ExchangeServer.start(server(Place.OTHER_HOST, "server").withTimeout(Duration.ofSeconds(1)))) {
            int port = Integer.parseInt(server.url().substring(server.url().lastIndexOf(':') + 1));
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                // The beginning of a record of a handshake, then anything.
                byte[] bytes = new byte[random.nextInt(600)];
                random.nextBytes(bytes);
                byte[] start = {0x16, 3, 3, (byte) random.nextInt(3), (byte) random.nextInt(), 1, 0};
                System.arraycopy(start, 0, bytes, 0, i % 4 == 0 ? 0 : Math.min(bytes.length, start.length));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(socket);
                socket.setSoTimeout(30_000);
                socket.getOutputStream().write(bytes);
                if (i % 2 == 0) {
                    socket.shutdownOutput();
                }
            }
            // They are closed, at the latest when their time is over.
            for (Socket socket : sockets) {
                try (socket) {
                    drain(socket);
                }
            }
            try (GlobalHeap heap = Place.connectAtLast(server.url(), client(Place.OTHER_HOST, "root"))) {
                heap.put("k", "v");
                assertThat(heap.get("k", String.class)).isEqualTo("v");
            }
            Eventually.holds("all connections are closed", () -> server.status().connections() == 0);
        }
    }

    private static void drain(Socket socket) throws IOException {
        try {
            assertThat(socket.getInputStream().readAllBytes().length).isLessThan(1000);
        } catch (java.net.SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            // Reset, because there were bytes that nobody had read.
            return;
        }
    }

    @Test
    void filesThatCannotBeUsedAreTold() throws Exception {
        ExchangeServerOptions options = Place.SAME_HOST.server();
        Path server = certificates.certificate("server");
        assertThatThrownBy(() -> options.withTls(server, certificates.key("expired")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not that of the first certificate in " + server);
        assertThatThrownBy(() -> options.withTls(server, certificates.key("alone")))
                .hasMessageContaining("has a private key that is no EC key");
        assertThatThrownBy(() -> options.withTls(server, server)).hasMessageContaining("has no private key");
        assertThatThrownBy(() -> options.withTls(certificates.key("server"), server))
                .hasMessageContaining("has no certificate");
        assertThatThrownBy(() -> options.withTls(folder.resolve("missing"), server))
                .hasMessageContaining("there is no file " + folder.resolve("missing"));
        Path old = Files.writeString(
                folder.resolve("old-form"),
                Files.readString(certificates.key("alone")).replace("PRIVATE KEY", "RSA PRIVATE KEY"));
        assertThatThrownBy(() -> options.withTls(certificates.certificate("alone"), old))
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt -in " + old);
        Path damaged = Files.writeString(
                folder.resolve("damaged"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertThatThrownBy(() -> GlobalHeapOptions.defaults().withTlsTrust(damaged))
                .hasMessageContaining("has a damaged certificate");
    }
}
