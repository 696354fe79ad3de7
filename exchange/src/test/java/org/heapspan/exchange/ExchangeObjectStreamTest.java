package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(Eventually.TEST_SECONDS)
final class ExchangeObjectStreamTest {
    @TempDir
    Path folder;

    @AfterAll
    static void closeOrigins() throws IOException {
        Place.closeOrigins();
    }

    private interface Writing {
        void write(ObjectOutputStream out) throws Exception;
    }

    private static byte[] written(GlobalHeap heap, Writing writing) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ExchangeObjectOutputStream(bytes, heap)) {
            writing.write(out);
        }
        return bytes.toByteArray();
    }

    /** The bytes of a persistent stream. */
    private static byte[] stored(GlobalHeap heap, String name, Writing writing) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ExchangeObjectOutputStream(bytes, heap, name)) {
            writing.write(out);
        }
        return bytes.toByteArray();
    }

    private static void remove(GlobalHeap heap, String name) {
        heap.list(name + "/")
                .forEach(each -> assertThat(heap.remove(each.key())).isTrue());
    }

    private static ObjectInputStream reading(byte[] bytes, GlobalHeap heap) throws Exception {
        return new ExchangeObjectInputStream(new ByteArrayInputStream(bytes), heap);
    }

    @ParameterizedTest
    @EnumSource
    void objectsTravelThroughTheExchangeAndBytesThroughTheStream(Place place) throws Exception {
        place.run((server, sender) -> {
            Model model = new Model("sent", 50_000);
            byte[] bytes = written(sender, out -> {
                out.writeInt(42);
                out.writeObject(model);
                out.writeUTF("between");
                out.writeObject("a text");
                out.writeObject(null);
                out.writeObject(new int[] {1, 2, 3});
                out.writeObject(Thread.State.WAITING);
            });
            assertThat(bytes.length).isLessThan(500);
            sender.close();
            try (GlobalHeap receiver = place.connect(server);
                    ObjectInputStream in = reading(bytes, receiver)) {
                assertThat(in.readInt()).isEqualTo(42);
                assertThat(model.isSame((Model) in.readObject())).isTrue();
                assertThat(in.readUTF()).isEqualTo("between");
                assertThat(in.readObject()).isEqualTo("a text");
                assertThat(in.readObject()).isNull();
                assertThat((int[]) in.readObject()).containsExactly(1, 2, 3);
                assertThat(in.readObject()).isSameAs(Thread.State.WAITING);
                assertThatThrownBy(in::readObject).isInstanceOf(EOFException.class);
                settled(server);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void anObjectThatIsWrittenAgainIsTheSame(Place place) throws Exception {
        place.run((server, heap) -> {
            List<String> list = new ArrayList<>(List.of("a"));
            byte[] bytes = written(heap, out -> {
                out.writeObject(list);
                out.writeObject(list);
                out.reset();
                out.writeObject(list);
            });
            try (ObjectInputStream in = reading(bytes, heap)) {
                Object first = in.readObject();
                assertThat(first).isEqualTo(list);
                assertThat(in.readObject()).isSameAs(first);
                assertThat(in.readObject()).isEqualTo(list).isNotSameAs(first);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void aStreamIsReadOnce(Place place) throws Exception {
        place.run((server, heap) -> {
            byte[] bytes = written(heap, out -> out.writeObject("once"));
            assertThat(reading(bytes, heap).readObject()).isEqualTo("once");
            fails(Reason.GROUP_GONE, () -> reading(bytes, heap).readObject());
            assertThatThrownBy(() -> reading(bytes, heap).readObject()).hasMessageContaining("it can be read once");
            settled(server);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void whatNobodyReadsIsFreed(Place place) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(place.server().withHandOver(Duration.ofMillis(100)));
                GlobalHeap heap = place.connect(server)) {
            byte[] bytes = written(heap, out -> out.writeObject("never read"));
            settled(server);
            fails(Reason.GROUP_GONE, () -> reading(bytes, heap).readObject());
        }
    }

    /** Java's own deserialization is not a way in. */
    @ParameterizedTest
    @EnumSource
    void aStreamOfJavaSerializationIsRefused(Place place) throws Exception {
        place.run((server, heap) -> {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(new BitSet(3));
            }
            assertThatThrownBy(() -> reading(bytes.toByteArray(), heap).readObject())
                    .isInstanceOf(InvalidClassException.class)
                    .hasMessageContaining("REJECTED");
        });
    }

    @ParameterizedTest
    @EnumSource
    void anAddressWithAnotherLengthIsRefused(Place place) throws Exception {
        place.run((server, heap) -> {
            byte[] bytes = written(heap, out -> out.writeObject("value"));
            ByteArrayOutputStream changed = new ByteArrayOutputStream();
            ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes));
            GroupReference reference = (GroupReference) in.readObject();
            try (ObjectOutputStream out = new ObjectOutputStream(changed)) {
                out.writeObject(new GroupReference(reference.address(), reference.sizeBytes() + 1));
            }
            fails(Reason.PROTOCOL, () -> reading(changed.toByteArray(), heap).readObject());
        });
    }

    /** Its reader would refuse it. */
    @ParameterizedTest
    @EnumSource
    void aClassIsRefusedWhenItIsWritten(Place place) throws Exception {
        place.run((server, heap) -> {
            Object proxy = Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, (self, method, all) -> self);
            for (Class<?> each : new Class<?>[] {String.class, int.class, Thread[].class, proxy.getClass()}) {
                Writing writing = out -> out.writeObject(each);
                assertThatThrownBy(() -> written(heap, writing))
                        .isInstanceOf(HeapspanException.class)
                        .hasMessageContaining("writing of " + each + " failed");
                assertThatThrownBy(() -> stored(heap, "s", writing)).isInstanceOf(HeapspanException.class);
            }
            assertThat(heap.list("")).isEmpty();
            byte[] bytes = written(heap, out -> out.writeObject(new Object[] {String.class}));
            assertThat((Object[]) reading(bytes, heap).readObject()).containsExactly(String.class);
            settled(server);
        });
    }

    // Persistent streams

    @ParameterizedTest
    @EnumSource
    void aPersistentStreamIsReadAgainAndAgain(Place place) throws Exception {
        place.run((server, writer) -> {
            Model model = new Model("stored", 50_000);
            byte[] bytes = stored(writer, "run/7", out -> {
                out.writeInt(42);
                out.writeObject(model);
                out.writeUTF("between");
                out.writeObject("a text");
                out.writeObject(null);
                out.writeObject(model);
                out.reset();
                out.writeObject(model);
            });
            assertThat(bytes.length).isLessThan(500);
            writer.close();
            try (GlobalHeap reader = place.connect(server);
                    GlobalHeap other = place.connect(server)) {
                assertThat(reader.list("run/7/"))
                        .extracting(KeyInfo::key)
                        .containsExactly("run/7/1", "run/7/2", "run/7/3");
                for (GlobalHeap each : List.of(reader, other, reader)) {
                    try (ObjectInputStream in = reading(bytes, each)) {
                        assertThat(in.readInt()).isEqualTo(42);
                        Model first = (Model) in.readObject();
                        assertThat(model.isSame(first)).isTrue();
                        assertThat(in.readUTF()).isEqualTo("between");
                        assertThat(in.readObject()).isEqualTo("a text");
                        assertThat(in.readObject()).isNull();
                        assertThat(in.readObject()).isSameAs(first);
                        // The next reader does not see this.
                        first.weights[0] = 77;
                        first.index.clear();
                        assertThat(model.isSame((Model) in.readObject())).isTrue();
                        assertThatThrownBy(in::readObject).isInstanceOf(EOFException.class);
                    }
                }
                remove(reader, "run/7");
                settled(server);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void anObjectWhoseKeyWasRemovedOrReplacedIsGone(Place place) throws Exception {
        place.run((server, heap) -> {
            byte[] bytes = stored(heap, "s", out -> out.writeObject("first"));
            assertThat(heap.replace("s/1", "other", 1)).isEqualTo(2);
            fails(Reason.GROUP_GONE, () -> reading(bytes, heap).readObject());
            assertThat(heap.remove("s/1")).isTrue();
            // As long as the first one, with the same version.
            heap.put("s/1", "third");
            assertThatThrownBy(() -> reading(bytes, heap).readObject())
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.GROUP_GONE))
                    .hasMessageContaining("key 's/1'")
                    .hasMessageContaining("it was freed");
            assertThat(heap.get("s/1", String.class)).isEqualTo("third");
        });
    }

    /** No keys of other programs are touched, and what was stored before a failure can be found and removed. */
    @ParameterizedTest
    @EnumSource
    void aNameIsUsedOnce(Place place) throws Exception {
        place.run((server, heap) -> {
            byte[] bytes = stored(heap, "name", out -> out.writeObject("first"));
            fails(Reason.KEY_EXISTS, () -> stored(heap, "name", out -> out.writeObject("second")));
            assertThat(reading(bytes, heap).readObject()).isEqualTo("first");
            heap.put("name", "not of the stream");
            remove(heap, "name");
            assertThat(heap.list("")).extracting(KeyInfo::key).containsExactly("name");

            OutputStream full = new OutputStream() {
                // For the header.
                private int leftBytes = 4;

                @Override
                public void write(int value) throws IOException {
                    leftBytes--;
                    if (leftBytes < 0) {
                        throw new IOException("no space left");
                    }
                }
            };
            assertThatThrownBy(() -> {
                        try (ObjectOutputStream out = new ExchangeObjectOutputStream(full, heap, "name")) {
                            out.writeObject("second");
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .hasMessage("no space left");
            assertThat(heap.get("name/1", String.class)).isEqualTo("second");
            remove(heap, "name");
            assertThat(heap.list("")).hasSize(1);
            for (String wrong : List.of("", "x".repeat(1_010))) {
                assertThatThrownBy(() -> stored(heap, wrong, out -> out.writeObject("value")))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(heap.list("")).hasSize(1);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void aPersistentStreamOutlivesAServerThatKeepsItsKeys(Place place) throws Exception {
        Path file = folder.resolve("objects");
        ExchangeServerOptions options = place.server()
                .withDirectory(Files.createDirectory(folder.resolve("server")))
                .keepingKeys();
        Model model = new Model("kept", 5_000);
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = place.connect(server)) {
            Files.write(file, stored(heap, "s", out -> {
                out.writeObject("short");
                out.writeObject(model);
            }));
        }
        for (int round = 0; round < 2; round++) {
            try (ExchangeServer server = ExchangeServer.start(options);
                    GlobalHeap heap = place.connect(server)) {
                for (int time = 0; time < 2; time++) {
                    try (ObjectInputStream in = new ExchangeObjectInputStream(Files.newInputStream(file), heap)) {
                        assertThat(in.readObject()).isEqualTo("short");
                        assertThat(model.isSame((Model) in.readObject())).isTrue();
                    }
                }
            }
        }
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = place.connect(server)) {
            remove(heap, "s");
            settled(server);
        }
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = place.connect(server)) {
            fails(
                    Reason.GROUP_GONE,
                    () -> reading(Files.readAllBytes(file), heap).readObject());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void aPersistentStreamEndsWithAServerThatKeepsNothing(Place place) throws Exception {
        List<byte[]> bytes = new ArrayList<>();
        place.run((server, heap) -> bytes.add(stored(heap, "s", out -> out.writeObject("value"))));
        place.run((server, heap) -> {
            heap.put("s/1", "value");
            assertThatThrownBy(() -> reading(bytes.get(0), heap).readObject())
                    .isInstanceOfSatisfying(
                            ExchangeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.GROUP_GONE))
                    .hasMessageContaining("key 's/1'")
                    .hasMessageContaining("belongs to a server that has ended");
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void aPersistentStreamIsReadWithTheSecret(Place place) throws Exception {
        byte[] secret = "0123456789abcdef-one".getBytes(US_ASCII);
        try (ExchangeServer server = ExchangeServer.start(place.server().withSecret(secret));
                GlobalHeap heap =
                        GlobalHeap.connect(server.url(), place.client().withSecret(secret))) {
            Model model = new Model("secret", 5_000);
            byte[] bytes = stored(heap, "s", out -> out.writeObject(model));
            for (int time = 0; time < 2; time++) {
                assertThat(model.isSame((Model) reading(bytes, heap).readObject()))
                        .isTrue();
            }
        }
    }

    /** A stream is no proof of what is at an address. */
    @ParameterizedTest
    @EnumSource
    void referencesOfTheOtherModeTakeNothing(Place place) throws Exception {
        place.run((server, heap) -> {
            heap.put("k", "value");
            KeyInfo key = heap.find("k").orElseThrow();
            byte[] take = serialized(new GroupReference(key.address(), key.sizeBytes()));
            fails(Reason.GROUP_GONE, () -> reading(take, heap).readObject());
            byte[] longer = serialized(new StoredReference("k", key.address(), key.sizeBytes() + 1));
            fails(Reason.PROTOCOL, () -> reading(longer, heap).readObject());
            byte[] read = serialized(new StoredReference("k", key.address(), key.sizeBytes()));
            assertThat(reading(read, heap).readObject()).isEqualTo("value");
            assertThat(heap.get("k", String.class)).isEqualTo("value");
        });
    }

    private static byte[] serialized(Object reference) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(reference);
        }
        return bytes.toByteArray();
    }

    /** Files have these bytes. */
    @Test
    void theBytesOfAPersistentStreamAreThoseOfThePage() throws Exception {
        String page = Files.readString(
                Path.of(System.getProperty("heapspan.root", "..")).resolve("docs/formats/exchange-protocol.md"));
        String hex = HexFormat.ofDelimiter(" ").formatHex(serialized(new StoredReference("run/1", 0x1000, 64)));
        StringBuilder dump = new StringBuilder();
        for (String line : page.lines().toList()) {
            if (line.matches("(?:[0-9a-f]{2} )*[0-9a-f]{2}(?: {2,}\\S.*)?")) {
                dump.append(line.split(" {2,}")[0]).append(' ');
            }
        }
        assertThat(dump).contains(hex);
    }
}
