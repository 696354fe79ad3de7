package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.Encoding;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class SecretTest {
    private static final byte[] SECRET = "0123456789abcdef-one".getBytes(US_ASCII);
    private static final byte[] OTHER = "0123456789abcdef-two".getBytes(US_ASCII);

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void whoKnowsTheSecretIsServed(Place place) throws Exception {
        Path file = Files.write(folder.resolve("secret"), "0123456789abcdef-one\n".getBytes(US_ASCII));
        try (ExchangeServer server = ExchangeServer.start(place.server().withSecretFile(file));
                GlobalHeap heap =
                        GlobalHeap.connect(server.url(), place.client().withSecret(SECRET))) {
            Model model = new Model("secret", 30_000);
            heap.put("k", model);
            assertThat(model.isSame(heap.get("k", Model.class))).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void whoDoesNotIsRefused(Place place) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(place.server().withSecret(SECRET))) {
            fails(
                    Reason.SECRET,
                    () -> GlobalHeap.connect(server.url(), place.client().withSecret(OTHER)));
            assertThatThrownBy(() -> GlobalHeap.connect(server.url(), place.client()))
                    .hasMessageContaining("the server needs a secret");
            assertThat(server.status().sessions()).isZero();
        }
        try (ExchangeServer server = ExchangeServer.start(place.server())) {
            assertThatThrownBy(() ->
                            GlobalHeap.connect(server.url(), place.client().withSecret(SECRET)))
                    .hasMessageContaining("the server has no secret");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void rawImagesNeedTheSecretAndSharedMemory(Place place) throws Exception {
        Model model = new Model("raw", 30_000);
        try (ExchangeServer server = ExchangeServer.start(place.server().withSecret(SECRET));
                GlobalHeap writer = GlobalHeap.connect(
                        server.url(), place.client().withSecret(SECRET).withEncoding(Encoding.RAW));
                GlobalHeap reader =
                        GlobalHeap.connect(server.url(), place.client().withSecret(SECRET));
                GlobalHeap remote = GlobalHeap.connect(
                        server.url(), place.client().withSecret(SECRET).withoutMapping())) {
            writer.put("k", model);
            Encoding expected = place == Place.OTHER_HOST ? Encoding.COMPACT : Encoding.RAW;
            assertThat(writer.find("k").orElseThrow().encoding()).isEqualTo(expected);
            assertThat(model.isSame(reader.get("k", Model.class))).isTrue();
            if (expected == Encoding.RAW) {
                assertThatThrownBy(() -> remote.get("k", Model.class))
                        .isInstanceOfSatisfying(
                                ExchangeException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.RAW))
                        .hasMessageContaining("Encoding.COMPACT");
            }
        }
    }

    @Test
    void withoutASecretNothingIsRaw() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(Place.SAME_HOST.server());
                GlobalHeap heap = GlobalHeap.connect(
                        server.url(), Place.SAME_HOST.client().withEncoding(Encoding.RAW))) {
            heap.put("k", "v");
            assertThat(heap.find("k").orElseThrow().encoding()).isEqualTo(Encoding.COMPACT);
        }
    }

    /** A listener on the way hears the handshake and the rest, but not the secret. */
    @Test
    void theSecretIsNeverSent() throws Exception {
        try (ExchangeServer server =
                        ExchangeServer.start(Place.OTHER_HOST.server().withSecret(SECRET));
                Relay recorder = new Relay(server.url())) {
            try (GlobalHeap heap = GlobalHeap.connect(
                    recorder.url(), Place.OTHER_HOST.client().withSecret(SECRET).withConnections(1))) {
                heap.put("k", "some value");
            }
            String heard = recorder.heard.toString(ISO_8859_1);
            assertThat(heard).contains("some value").doesNotContain(new String(SECRET, US_ASCII));
        }
    }

    /** Not even in a way that keeps all checksums: CRC32C is linear, so its polynomial can be added anywhere. */
    @Test
    void nobodyOnTheWayChangesAnObject() throws Exception {
        String text = "a text that somebody changes";
        try (ExchangeServer server =
                        ExchangeServer.start(Place.OTHER_HOST.server().withSecret(SECRET));
                ExchangeServer open = ExchangeServer.start(Place.OTHER_HOST.server());
                Relay relay = new Relay(server.url());
                Relay openRelay = new Relay(open.url());
                GlobalHeap heap = GlobalHeap.connect(
                        relay.url(), Place.OTHER_HOST.client().withSecret(SECRET));
                GlobalHeap openHeap = GlobalHeap.connect(openRelay.url(), Place.OTHER_HOST.client())) {
            heap.put("k", text);
            openHeap.put("k", text);
            relay.changed = text;
            openRelay.changed = text;
            // Without a secret it goes unnoticed, so this is a change that only the secret prevents.
            assertThat(openHeap.get("k", String.class)).isNotEqualTo(text).hasSameSizeAs(text);
            fails(Reason.PROTOCOL, () -> heap.get("k", String.class));
            fails(Reason.PROTOCOL, () -> heap.copyImage("k", new ByteArrayOutputStream()));
            relay.changed = "";
            assertThat(heap.get("k", String.class)).isEqualTo(text);
        }
    }
}
