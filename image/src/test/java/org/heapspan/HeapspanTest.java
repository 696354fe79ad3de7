package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HeapspanTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Order implements Serializable {
        String customer;
        long cents;
        List<Line> lines = new ArrayList<>();
        Order previous;
        transient int cache = 17;

        Order(String customer, long cents) {
            this.customer = customer;
            this.cents = cents;
        }
    }

    record Line(String article, int count) implements Serializable {}

    static final class NotSerializable {
        int value = 3;
    }

    private static Order order() {
        Order order = new Order("Ada", 4_200_000_000L);
        order.lines.add(new Line("gear", 12));
        order.lines.add(new Line("card", -1));
        order.previous = order;
        return order;
    }

    private static void assertOrder(Order copy) {
        assertThat(copy.customer).isEqualTo("Ada");
        assertThat(copy.cents).isEqualTo(4_200_000_000L);
        assertThat(copy.lines).containsExactly(new Line("gear", 12), new Line("card", -1));
        assertThat(copy.previous).isSameAs(copy);
    }

    @Test
    void decodesWhatItEncoded() {
        Order order = order();
        Order copy = HEAPSPAN.decode(HEAPSPAN.encode(order), Order.class);
        assertThat(copy).isNotSameAs(order);
        assertOrder(copy);
    }

    @Test
    void encodesTheSameBytesEachTime() {
        assertThat(HEAPSPAN.encode(order())).isEqualTo(HEAPSPAN.encode(order()));
        assertThat(Heapspan.create().encode(order())).isEqualTo(HEAPSPAN.encode(order()));
    }

    @Test
    void copiesAnyClass() {
        NotSerializable original = new NotSerializable();
        NotSerializable copy = HEAPSPAN.copy(original);
        assertThat(copy).isNotSameAs(original);
        assertThat(copy.value).isEqualTo(3);
        assertOrder(HEAPSPAN.copy(order()));
    }

    @Test
    void refusesToDecodeWhatIsNotSerializable() {
        byte[] image = HEAPSPAN.encode(new NotSerializable());
        assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.CLASS_REJECTED))
                .hasMessageContaining(NotSerializable.class.getName())
                .hasMessageContaining("allow(");
        Heapspan allowing =
                Heapspan.builder().allow(NotSerializable.class.getName()).build();
        assertThat(allowing.decode(image, NotSerializable.class).value).isEqualTo(3);
    }

    @Test
    void carriesNullInEveryWay() throws Exception {
        assertThat(HEAPSPAN.decode(HEAPSPAN.encode(null), Order.class)).isNull();
        assertThat(HEAPSPAN.<Order>copy(null)).isNull();
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(null, stream);
        assertThat(HEAPSPAN.decodeFrom(new ByteArrayInputStream(stream.toByteArray()), Order.class))
                .isNull();
        ByteBuffer buffer = ByteBuffer.allocate(100);
        HEAPSPAN.encodeTo(null, buffer);
        assertThat(HEAPSPAN.decodeFrom(buffer.flip(), Order.class)).isNull();
        GroupWriter group = HEAPSPAN.groupWriter();
        group.write(null);
        GroupReader reader = HEAPSPAN.groupReader(group.finish());
        assertThat(reader.hasNext()).isTrue();
        assertThat(reader.next()).isNull();
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void namesBothTypesWhereTheRootIsOfAnother() {
        byte[] image = HEAPSPAN.encode("text");
        assertThatThrownBy(() -> HEAPSPAN.decode(image, Integer.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.USAGE))
                .hasMessageContaining("java.lang.String")
                .hasMessageContaining("java.lang.Integer");
        assertThatThrownBy(() -> HEAPSPAN.decode(image, int.class)).isInstanceOf(HeapspanException.class);
        assertThat(HEAPSPAN.decode(image, CharSequence.class)).isEqualTo("text");
    }

    @Test
    void streamsThroughStream() throws Exception {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(order(), target);
        assertOrder(HEAPSPAN.decodeFrom(new ByteArrayInputStream(target.toByteArray()), Order.class));
    }

    @Test
    void takesBytesFromStreamInAnyPortions() throws Exception {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(order(), target);
        InputStream oneByOne = new FilterInputStream(new ByteArrayInputStream(target.toByteArray())) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return super.read(bytes, offset, Math.min(length, 1));
            }
        };
        assertOrder(HEAPSPAN.decodeFrom(oneByOne, Order.class));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 300_000, 3_000_000})
    void readsNothingBehindAnImageInStream(int arrayBytes) throws Exception {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        target.write(7);
        HEAPSPAN.encodeTo(new byte[arrayBytes], target);
        target.write(8);
        HEAPSPAN.encodeTo(order(), target);
        target.write(9);
        InputStream source = new ByteArrayInputStream(target.toByteArray());
        assertThat(source.read()).isEqualTo(7);
        assertThat(HEAPSPAN.decodeFrom(source, byte[].class)).hasSize(arrayBytes);
        assertThat(source.read()).isEqualTo(8);
        assertOrder(HEAPSPAN.decodeFrom(source, Order.class));
        assertThat(source.read()).isEqualTo(9);
        assertThat(source.read()).isEqualTo(-1);
    }

    @Test
    void streamsThroughChannel() throws Exception {
        Pipe pipe = Pipe.open();
        int[] numbers = new int[500_000];
        Arrays.setAll(numbers, i -> i * 31);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            try (WritableByteChannel sink = pipe.sink()) {
                HEAPSPAN.encodeTo(order(), sink);
                HEAPSPAN.encodeTo(numbers, sink);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertOrder(HEAPSPAN.decodeFrom(pipe.source(), Order.class));
        assertThat(HEAPSPAN.decodeFrom(pipe.source(), int[].class)).isEqualTo(numbers);
        writer.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
        pipe.source().close();
    }

    @Test
    void readsNothingBehindAnImageInChannel() throws Exception {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(order(), Channels.newChannel(target));
        int sizeBytes = target.size();
        target.write(new byte[100]);
        ByteArrayInputStream source = new ByteArrayInputStream(target.toByteArray());
        HEAPSPAN.decodeFrom(Channels.newChannel(source), Order.class);
        assertThat(source.available()).isEqualTo(100);
        assertThat(target.size() - 100).isEqualTo(sizeBytes);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void usesBufferFromPositionToLimit(boolean direct) {
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(5000) : ByteBuffer.allocate(5000);
        buffer.position(13);
        HEAPSPAN.encodeTo(order(), buffer);
        int end = buffer.position();
        assertThat(end).isEqualTo(13 + HEAPSPAN.encode(order()).length);
        buffer.position(13).limit(end);
        assertOrder(HEAPSPAN.decodeFrom(buffer.asReadOnlyBuffer(), Order.class));
        assertOrder(HEAPSPAN.decodeFrom(buffer.slice(), Order.class));
        assertOrder(HEAPSPAN.decodeFrom(buffer, Order.class));
        assertThat(buffer.remaining()).isZero();
    }

    @Test
    void leavesBufferAloneWhereTheImageDoesNotFit() {
        int sizeBytes = HEAPSPAN.encode(order()).length;
        ByteBuffer buffer = ByteBuffer.allocate(sizeBytes + 4).position(5);
        assertThatThrownBy(() -> HEAPSPAN.encodeTo(order(), buffer))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining(sizeBytes + " bytes")
                .hasMessageContaining((sizeBytes - 1) + "");
        assertThat(buffer.position()).isEqualTo(5);
        assertThatThrownBy(() ->
                        HEAPSPAN.encodeTo(order(), ByteBuffer.allocate(5000).asReadOnlyBuffer()))
                .isInstanceOf(ReadOnlyBufferException.class);
    }

    @Test
    void refusesBytesBehindAnImageInMemory() {
        byte[] image = HEAPSPAN.encode(order());
        for (int extra : new int[] {1, 11, 12, 13, 40}) {
            byte[] longer = Arrays.copyOf(image, image.length + extra);
            if (extra == 12) {
                continue; // twelve zeros are an end frame
            }
            assertThatThrownBy(() -> HEAPSPAN.decode(longer, Order.class))
                    .as("%d bytes more", extra)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.MALFORMED));
        }
    }

    @Test
    void leavesOutTheChecksumOnRequest() {
        Heapspan unchecked = Heapspan.builder().checksum(false).build();
        byte[] image = unchecked.encode(order());
        assertOrder(HEAPSPAN.decode(image, Order.class));
        assertOrder(unchecked.decode(HEAPSPAN.encode(order()), Order.class));
        assertThat(Arrays.copyOfRange(image, 16, 20)).containsOnly(0);
        byte[] checked = HEAPSPAN.encode(order());
        checked[checked.length - 1] ^= 1;
        assertThatThrownBy(() -> HEAPSPAN.decode(checked, Order.class))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("checksum");
    }

    @Test
    void passesOnWhatStreamAndChannelThrow() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("disk full");
            }
        };
        assertThatThrownBy(() -> HEAPSPAN.encodeTo(order(), full))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("disk full");
        assertThatThrownBy(() -> HEAPSPAN.encodeTo(new long[1 << 20], full))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("disk full");
        assertThatThrownBy(() -> HEAPSPAN.encodeTo(order(), Channels.newChannel(full)))
                .hasMessage("disk full");
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("cable cut");
            }
        };
        assertThatThrownBy(() -> HEAPSPAN.decodeFrom(broken, Order.class))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("cable cut");
        // The pooled writers and readers are as good as new.
        assertOrder(HEAPSPAN.decode(HEAPSPAN.encode(order()), Order.class));
    }

    @Test
    void neitherFlushesNorClosesTheTarget() throws Exception {
        List<String> calls = new ArrayList<>();
        OutputStream target = new ByteArrayOutputStream() {
            @Override
            public void flush() {
                calls.add("flush");
            }

            @Override
            public void close() {
                calls.add("close");
            }
        };
        HEAPSPAN.encodeTo(order(), target);
        assertThat(calls).isEmpty();
    }

    @Test
    void clearsTransientFieldsUnlessTheModeIsClone() {
        Order order = order();
        assertThat(HEAPSPAN.copy(order).cache).isZero();
        Heapspan cloning = Heapspan.builder().mode(Mode.CLONE).build();
        assertThat(cloning.copy(order).cache).isEqualTo(17);
        byte[] withTransient = cloning.encode(order);
        assertThat(cloning.decode(withTransient, Order.class).cache).isEqualTo(17);
        // What was not meant for this reader does not reach it.
        assertThat(HEAPSPAN.decode(withTransient, Order.class).cache).isZero();
        assertOrder(HEAPSPAN.decode(withTransient, Order.class));
        assertOrder(cloning.decode(HEAPSPAN.encode(order), Order.class));
    }

    @Test
    void namesThePathToWhatCannotTravel() {
        Map<String, Object> graph = Map.of("a", List.of(1, new Object[] {"x", Thread.currentThread()}));
        assertThatThrownBy(() -> HEAPSPAN.encode(graph))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.CLASS_REFUSED))
                .hasMessageContaining("java.lang.Thread")
                .hasMessageContaining("root");
        assertOrder(HEAPSPAN.copy(order()));
    }

    @Test
    void isReentrant() {
        assertThat(HEAPSPAN.copy(new Reentrant("outer")).inner).isEqualTo("inner of outer");
    }

    static final class Reentrant implements Serializable {
        final String name;
        transient String inner;

        Reentrant(String name) {
            this.name = name;
        }

        private void writeObject(java.io.ObjectOutputStream stream) throws IOException {
            stream.defaultWriteObject();
            stream.writeObject(HEAPSPAN.encode(List.of("inner of " + name)));
        }

        private void readObject(java.io.ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            inner = (String)
                    HEAPSPAN.decode((byte[]) stream.readObject(), List.class).get(0);
        }
    }

    @Test
    void keepsNothingOfAnImageThatFailed() {
        HalfWritten broken = new HalfWritten(1, true);
        assertThatThrownBy(() -> HEAPSPAN.encode(broken))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.HOOK))
                .hasMessageContaining("no more paper");
        HalfWritten copy = HEAPSPAN.copy(new HalfWritten(2, false));
        assertThat(copy.first).isEqualTo(2);
        assertThat(copy.second).isEqualTo(-2);
    }

    static final class HalfWritten implements Serializable {
        transient int first;
        transient int second;
        final transient boolean fails;

        HalfWritten(int value, boolean fails) {
            first = value;
            second = -value;
            this.fails = fails;
        }

        private void writeObject(java.io.ObjectOutputStream stream) throws IOException {
            stream.writeInt(first);
            if (fails) {
                throw new IOException("no more paper");
            }
            stream.writeInt(second);
        }

        private void readObject(java.io.ObjectInputStream stream) throws IOException {
            first = stream.readInt();
            second = stream.readInt();
        }
    }

    @Test
    void runsNoValidationOfAnImageThatFailed() {
        Validated.RUN.clear();
        byte[] failing = HEAPSPAN.encode(new Validated("first", true));
        assertThatThrownBy(() -> HEAPSPAN.decode(failing, Validated.class)).isInstanceOf(HeapspanException.class);
        HEAPSPAN.decode(HEAPSPAN.encode(new Validated("second", false)), Validated.class);
        assertThat(Validated.RUN).containsExactly("second");
    }

    static final class Validated implements Serializable {
        static final List<String> RUN = new ArrayList<>();
        final String name;
        final boolean fails;

        Validated(String name, boolean fails) {
            this.name = name;
            this.fails = fails;
        }

        private void readObject(java.io.ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            stream.registerValidation(() -> RUN.add(name), 0);
            if (fails) {
                throw new IOException("fails");
            }
        }
    }

    @Test
    void refusesChannelsThatDoNotBlock() throws Exception {
        Pipe pipe = Pipe.open();
        try (Pipe.SinkChannel sink = pipe.sink();
                Pipe.SourceChannel source = pipe.source()) {
            sink.configureBlocking(false);
            source.configureBlocking(false);
            for (org.assertj.core.api.ThrowableAssert.ThrowingCallable call :
                    List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                            () -> HEAPSPAN.encodeTo("x", sink),
                            () -> HEAPSPAN.encodeTo("x", Encoding.RAW, sink),
                            () -> HEAPSPAN.decodeFrom(source, Object.class),
                            () -> HEAPSPAN.decodeTrustedFrom(source, Object.class))) {
                assertThatThrownBy(call)
                        .isInstanceOfSatisfying(
                                HeapspanException.class,
                                e -> assertThat(e.category()).isEqualTo(Category.USAGE))
                        .hasMessageContaining("non-blocking")
                        .hasMessageContaining("configureBlocking(true)");
            }
            sink.configureBlocking(true);
            source.configureBlocking(true);
            HEAPSPAN.encodeTo("x", sink);
            assertThat(HEAPSPAN.decodeFrom(source, Object.class)).isEqualTo("x");
        }
    }

    @Test
    void refusesOptionsThatMakeNoSense() {
        assertThatThrownBy(() -> Heapspan.builder().maxBytes(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Heapspan.builder().maxObjects(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Heapspan.builder().maxArrayLength(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesPatternsThatAdmitOtherClassesThanTheyShow() {
        for (String pattern : new String[] {
            "com.*.Order",
            " ",
            "",
            "com.acme**",
            "com.ac*",
            "com.ac*.*",
            "com.*.**",
            "**",
            ".**",
            ".*",
            "com..Order",
            "com.acme.",
            ".Order",
            "com.acme.***",
            "com.acme.Order$**",
            "com.acme.Order*",
            "com.acme.$*.*",
            "$*",
            "com.acme.**.*",
            "com.acme Order",
            "[Lcom.acme.Order;",
            "com/acme/Order"
        }) {
            assertThatThrownBy(() -> Heapspan.builder().allow(pattern))
                    .as(pattern)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + pattern + "'")
                    .hasMessageContaining("com.acme.**")
                    .hasMessageContaining("com.acme.Order$*");
        }
        Heapspan.builder()
                .allow(
                        "*",
                        "Order",
                        "com.acme.Order",
                        "com.acme.Order$Item",
                        "com.acme.Order$*",
                        "com.acme.*",
                        "com.acme.**");
    }

    @Test
    void admitsTheClassesOfAPackageAndNoNeighbours() {
        String packageName = Plain.class.getPackageName();
        byte[] image = Heapspan.create().encode(new Plain());
        for (String admitting : new String[] {
            "*",
            "org.**",
            packageName + ".*",
            packageName + ".**",
            Plain.class.getName(),
            HeapspanTest.class.getName(),
            HeapspanTest.class.getName() + "$*"
        }) {
            assertThat(Heapspan.builder().allow(admitting).build().decode(image, Plain.class))
                    .as(admitting)
                    .isNotNull();
        }
        for (String other : new String[] {
            "org.*",
            "org.heap.**",
            packageName + ".image.**",
            Plain.class.getName() + "s",
            "Plain",
            Plain.class.getName() + "$*",
            HeapspanTest.class.getName() + "$P$*"
        }) {
            Heapspan reader = Heapspan.builder().allow(other).build();
            assertThatThrownBy(() -> reader.decode(image, Plain.class))
                    .as(other)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.CLASS_REJECTED));
        }
    }

    static final class Plain {
        int value = 1;
    }

    /** Not Serializable, so that its fields and those of its superclass are copied one by one. */
    static final class OwnMap extends java.util.AbstractMap<String, Integer> {
        transient List<String> kept = new ArrayList<>(List.of("kept"));
        final java.util.TreeMap<String, Integer> entries = new java.util.TreeMap<>();

        @Override
        public java.util.Set<Entry<String, Integer>> entrySet() {
            return entries.entrySet();
        }
    }

    @Test
    void keepsTransientFieldsOfUserClassesButNotOfTheirSuperclassesInTheJdk() {
        OwnMap map = new OwnMap();
        map.entries.put("a", 1);
        // The views are kept in transient fields of AbstractMap.
        assertThat(map.keySet()).hasSize(1);
        assertThat(map.values()).hasSize(1);
        Heapspan cloning = Heapspan.builder().mode(Mode.CLONE).build();
        OwnMap copy = cloning.copy(map);
        assertThat(copy.kept).containsExactly("kept");
        assertThat(copy).isEqualTo(map);
        copy.entries.put("b", 2);
        assertThat(copy.keySet()).containsExactly("a", "b");
        assertThat(map.keySet()).containsExactly("a");
        assertThat(Heapspan.create().copy(map).kept).isNull();
        assertThat(Heapspan.create().copy(map)).isEqualTo(map);
        if (cloning.encode(map, Encoding.RAW)[5] == 2) {
            OwnMap raw = cloning.decodeTrusted(cloning.encode(map, Encoding.RAW), OwnMap.class);
            assertThat(raw).isEqualTo(map);
            assertThat(raw.kept).containsExactly("kept");
        }
    }
}
