package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.heapspan.GroupReader;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.HeapspanObjectInputStream;
import org.heapspan.HeapspanObjectOutputStream;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.TestImages;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the reader makes of bytes that are no image, or no longer one. */
@Tag("once")
public final class ImageReaderTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final Heapspan UNCHECKED =
            Heapspan.builder().checksum(false).maxArrayLength(1 << 20).build();

    static final class Sample implements Serializable {
        int number = 123_456;
        String text = "Straße";
        Sample self = this;
        Object[] mixed = {1, "two", 3.0, null, new int[] {4, 5}};
        List<String> list = new ArrayList<>(List.of("a", "b", "a"));
        Map<Object, Object> map = new HashMap<>(Map.of("k", 1L, DayOfWeek.FRIDAY, new BigDecimal("1.50")));
        TreeMap<String, Integer> tree = new TreeMap<>(Map.of("x", 1, "y", 2));
        Optional<String> optional = Optional.of("o");
        Hooked hooked = new Hooked();
        Point point = new Point(1, -2);
        boolean flag = true;
        char character = 'c';
        Set<Class<?>> classes = Set.of(String.class);
    }

    record Point(int x, long y) implements Serializable {}

    static final class Hooked implements Serializable {
        transient int secret = 7;

        private void writeObject(ObjectOutputStream stream) throws IOException {
            stream.defaultWriteObject();
            stream.writeInt(secret);
            stream.writeObject("behind");
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            secret = stream.readInt();
            stream.readObject();
        }
    }

    private static byte[] changed(byte[] image, int offset, int value) {
        byte[] copy = image.clone();
        copy[offset] = (byte) value;
        return copy;
    }

    private static void assertRejected(byte[] image, Category category, String... words) {
        assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class,
                        e -> assertThat(e.category()).as(e.getMessage()).isEqualTo(category))
                .satisfies(e -> List.of(words).forEach(word -> assertThat(e).hasMessageContaining(word)));
        assertThatThrownBy(() -> HEAPSPAN.decodeFrom(new ByteArrayInputStream(image), Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class,
                        e -> assertThat(e.category()).as(e.getMessage()).isEqualTo(category));
        assertThatThrownBy(() -> HEAPSPAN.groupReader(image).next())
                .isInstanceOfSatisfying(
                        HeapspanException.class,
                        e -> assertThat(e.category()).as(e.getMessage()).isEqualTo(category));
    }

    @Test
    void rejectsBytesThatAreNoImage() {
        byte[] image = HEAPSPAN.encode("x");
        for (int offset = 0; offset < 4; offset++) {
            assertRejected(changed(image, offset, 0), Category.MALFORMED, "HSPI");
        }
        assertRejected(
                "no image at all, but a text".getBytes(java.nio.charset.StandardCharsets.UTF_8), Category.MALFORMED);
        assertRejected(new byte[100], Category.MALFORMED);
        assertRejected(new byte[0], Category.MALFORMED, "truncated");
        assertRejected(new byte[] {(byte) 0xAC, (byte) 0xED, 0, 5, 't', 0, 1, 'x'}, Category.MALFORMED, "0xaced0005");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 127, 128, 255})
    void rejectsImageFromAnotherVersion(int version) {
        assertRejected(
                changed(HEAPSPAN.encode("x"), ImageFormat.VERSION_OFFSET, version),
                Category.VERSION,
                "reads version 1");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, ImageFormat.ENCODING_RAW, 3, 255})
    void rejectsOtherEncodings(int encoding) {
        assertRejected(
                changed(HEAPSPAN.encode("x"), ImageFormat.ENCODING_OFFSET, encoding), Category.LAYOUT, "compact (1)");
    }

    @Test
    void rejectsUnknownFlags() {
        byte[] image = HEAPSPAN.encode("x");
        for (int bit = 32 - Integer.numberOfLeadingZeros(ImageFormat.KNOWN_FLAGS); bit < 16; bit++) {
            byte[] unknown = image.clone();
            unknown[ImageFormat.FLAGS_OFFSET + bit / 8] |= (byte) (1 << bit % 8);
            assertRejected(unknown, Category.VERSION, "flags");
        }
    }

    @Test
    void rejectsFramesThatClaimTooMuch() {
        byte[] image = HEAPSPAN.encode("x");
        for (int word = 8; word <= 12; word += 4) {
            for (int value : new int[] {0x7F, 0x80, 0xFF, 0x3F, 0x40}) {
                byte[] hostile = changed(image, word + 3, value);
                assertRejected(hostile, Category.MALFORMED);
            }
        }
    }

    @Test
    void rejectsEveryTruncation() {
        byte[] image = HEAPSPAN.encode(new Sample());
        for (int length = 0; length < image.length; length++) {
            byte[] part = Arrays.copyOf(image, length);
            assertThatThrownBy(() -> HEAPSPAN.decode(part, Sample.class))
                    .as("first %d of %d bytes", length, image.length)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.MALFORMED));
        }
    }

    @Test
    void rejectsEveryTruncationOfStreams() throws IOException {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(new Sample(), stream);
        byte[] image = stream.toByteArray();
        int complete = image.length - ImageFormat.FRAME_HEADER_BYTES;
        for (int length = 0; length < image.length; length++) {
            if (length == complete) {
                // Only the end frame is missing, as it is in images that were encoded in memory.
                continue;
            }
            byte[] part = Arrays.copyOf(image, length);
            assertThatThrownBy(() -> HEAPSPAN.decodeFrom(new ByteArrayInputStream(part), Sample.class))
                    .as("first %d of %d bytes", length, image.length)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.MALFORMED));
        }
    }

    /** Cut off within the frame as well, where lengths and checksum say nothing. */
    @Test
    void rejectsEveryTruncationOfBodies() {
        byte[] image = UNCHECKED.encode(new Sample());
        int typesBytes = (int) ImageFormat.INT.get(image, 12);
        int bodyBytes = (int) ImageFormat.INT.get(image, 8);
        for (int length = 1; length < bodyBytes; length++) {
            byte[] part = Arrays.copyOf(image, 20 + typesBytes + length);
            ImageFormat.INT.set(part, 8, length);
            assertThatThrownBy(() -> UNCHECKED.decode(part, Sample.class))
                    .as("first %d of %d bytes", length, bodyBytes)
                    .isInstanceOf(HeapspanException.class);
        }
    }

    @Test
    void survivesEveryFlippedBit() {
        assertMostAreRejected(flipBits());
    }

    @Test
    void survivesEveryFlippedBitByEitherMeansOfRawAccess() throws Exception {
        for (String means : new String[] {"native", "unsafe"}) {
            JavaProcess.Result result =
                    JavaProcess.run(FlipBits.class, List.of("-Dheapspan.access=" + means, "-Xmx256m"));
            assertMostAreRejected(Double.parseDouble(result.value("rejected")));
        }
    }

    /** Main class of a child JVM. */
    public static final class FlipBits {
        private FlipBits() {}

        /** Flips bits and prints the share of images that were rejected. */
        public static void main(String[] arguments) {
            System.out.println("rejected=" + flipBits());
        }
    }

    /** Without a checksum a flipped bit of a number or a letter gives a valid image of another value; others must be found. */
    private static void assertMostAreRejected(double share) {
        assertThat(share)
                .as("share of the images with one flipped bit that were rejected")
                .isBetween(0.5, 0.9);
    }

    /** Decodes an image with each of its bits flipped; the share that was rejected. */
    private static double flipBits() {
        byte[] image = UNCHECKED.encode(new Sample());
        int rejected = 0;
        for (int bit = 0; bit < image.length * 8; bit++) {
            byte[] flipped = image.clone();
            flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
            try {
                UNCHECKED.decode(flipped, Object.class);
            } catch (HeapspanException expected) {
                assertThat(expected.getMessage()).isNotBlank();
                rejected++;
            } catch (Throwable e) {
                throw new AssertionError("bit " + bit + " of byte " + (bit >> 3) + " flipped gives " + e, e);
            }
        }
        // The reader that saw it all still works.
        assertThat(UNCHECKED.decode(image, Sample.class).text).isEqualTo("Straße");
        return rejected / (image.length * 8.0);
    }

    /** The map's own exception is the cause: it has no message once the code that throws it is compiled. */
    @Test
    void namesTheEntryThatAMapDoesNotTake() {
        Map<Object, Object> map = new HashMap<>();
        map.put(new int[] {1}, null);
        byte[] image = UNCHECKED.encode(map);
        Map<String, Class<?>> causes = new TreeMap<>();
        for (int position = 0; position < image.length; position++) {
            for (int value = 0; value < 256; value++) {
                try {
                    UNCHECKED.decode(changed(image, position, value), Object.class);
                } catch (HeapspanException e) {
                    String message = e.getMessage();
                    if (message.contains("does not take")) {
                        assertThat(e.getCause()).as(message).isNotNull();
                        causes.put(
                                message.substring(message.indexOf("frame: ") + "frame: ".length()),
                                e.getCause().getClass());
                    }
                }
            }
        }
        assertThat(causes)
                .containsEntry(
                        "a java.util.TreeMap does not take a [I as key with null as value", ClassCastException.class)
                .containsEntry(
                        "a java.util.concurrent.ConcurrentHashMap does not take a [I as key with null as value",
                        NullPointerException.class);
    }

    @Test
    void findsEveryFlippedBitByChecksum() {
        byte[] image = HEAPSPAN.encode(new Sample());
        for (int bit = 20 * 8; bit < image.length * 8; bit++) {
            byte[] flipped = image.clone();
            flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
            assertThatThrownBy(() -> HEAPSPAN.decode(flipped, Object.class))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("checksum");
        }
    }

    /** Nothing else tells whether the header itself was altered. */
    @Test
    void aFlippedBitDoesNotSwitchTheChecksumOff() {
        byte[] image = HEAPSPAN.encode(new Sample());
        image[6] ^= 1; // CHECKSUM
        assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("says that there are none");
    }

    @Test
    void survivesEveryFlippedBitOfGroupsAndObjectStreams() throws Exception {
        var writer = UNCHECKED.groupWriter();
        writer.write(new Point(1, 2));
        writer.write(new Sample());
        byte[] group = writer.finish();
        forEveryFlippedBit(group, flipped -> {
            GroupReader reader = UNCHECKED.groupReader(flipped);
            for (int i = 0; i < 1000 && reader.hasNext(); i++) {
                reader.next();
            }
        });
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream stream = new HeapspanObjectOutputStream(bytes, UNCHECKED)) {
            stream.writeInt(4);
            stream.writeObject(new Sample());
            stream.writeUTF("between");
            stream.reset();
            stream.writeObject(new Point(3, 4));
        }
        forEveryFlippedBit(bytes.toByteArray(), flipped -> {
            try (HeapspanObjectInputStream stream =
                    new HeapspanObjectInputStream(new ByteArrayInputStream(flipped), UNCHECKED)) {
                stream.readInt();
                stream.readObject();
                stream.readUTF();
                stream.readObject();
            } catch (IOException | ClassNotFoundException expected) {
                assertThat(expected.toString()).isNotBlank();
            }
        });
    }

    /** Exceptions that compiled code throws have no message: none of ours may be made of theirs. */
    @Test
    void saysTheSameOfBytesThatItHasReadOften() {
        byte[] image = UNCHECKED.encode(new String[] {"a", "b", "c"});
        int found = 0;
        for (int offset = 0; offset < image.length; offset++) {
            for (int value = 0; value < 256; value++) {
                byte[] damaged = changed(image, offset, value);
                String message = messageOf(damaged);
                if (message.contains("is no java.lang.String")) {
                    found++;
                    for (int i = 0; i < 10_000; i++) {
                        assertThat(messageOf(damaged)).isEqualTo(message);
                    }
                }
            }
        }
        assertThat(found).isPositive();
    }

    private static String messageOf(byte[] image) {
        try {
            UNCHECKED.decode(image, Object.class);
            return "";
        } catch (HeapspanException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static void forEveryFlippedBit(byte[] image, Consumer<byte[]> reading) {
        for (int bit = 0; bit < image.length * 8; bit++) {
            byte[] flipped = image.clone();
            flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
            try {
                reading.accept(flipped);
            } catch (HeapspanException expected) {
                assertThat(expected.getMessage()).isNotBlank();
            } catch (Throwable e) {
                throw new AssertionError("bit " + bit + " flipped gives " + e, e);
            }
        }
    }

    // ---------------------------------------------------------------- claims

    /** Bodies that announce far more than they hold. */
    private static Map<String, byte[]> hostileBodies() {
        long huge = 1 << 30;
        Map<String, byte[]> bodies = new LinkedHashMap<>();
        for (int tag = 12; tag <= 19; tag++) {
            bodies.put("primitive array, tag " + tag, TestImages.numbers(tag, huge));
        }
        bodies.put("Object[]", TestImages.numbers(20, huge, 0));
        bodies.put("String[]", TestImages.numbers(21, huge, 3));
        bodies.put("ArrayList", TestImages.numbers(24, huge, 0));
        bodies.put("HashMap", TestImages.numbers(25, huge, 3, 3));
        bodies.put("LinkedHashMap", TestImages.numbers(26, huge, 3, 3));
        bodies.put("HashSet", TestImages.numbers(28, huge, 3));
        bodies.put("LinkedHashSet", TestImages.numbers(29, huge, 3));
        bodies.put("LinkedList", TestImages.numbers(46, huge, 3));
        bodies.put("ArrayDeque", TestImages.numbers(47, huge, 3));
        bodies.put("String", TestImages.numbers(3, huge * 2 + 2));
        bodies.put("wide String", TestImages.numbers(3, huge * 2 + 3));
        bodies.put("longest String", TestImages.numbers(3, -2));
        bodies.put("BigInteger", TestImages.numbers(31, huge));
        bodies.put("ByteBuffer", TestImages.numbers(42, 0, huge, huge, huge));
        bodies.put("deferred Object[]", TestImages.numbers(2, 20, huge));
        bodies.put("Object[] in Object[]", TestImages.numbers(20, 1, 20, huge));
        return bodies;
    }

    @Test
    void allocatesNothingForHostileClaims() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        hostileBodies().forEach((name, body) -> {
            byte[] image = TestImages.image(body);
            assertThat(image.length).isLessThan(50);
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                    .as(name)
                    .isInstanceOf(HeapspanException.class);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes allocated for %s", name).isLessThan(4 << 20);
        });
    }

    @Test
    void allocatesNothingForHostileClaimsInStreams() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        hostileBodies().forEach((name, body) -> {
            byte[] image = TestImages.image(body);
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThatThrownBy(() -> HEAPSPAN.decodeFrom(new ByteArrayInputStream(image), Object.class))
                    .as(name)
                    .isInstanceOf(HeapspanException.class);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated).as("bytes allocated for %s", name).isLessThan(8 << 20);
        });
        // A frame of 1 GB of which nothing follows.
        byte[] image = TestImages.image(new byte[1]);
        ImageFormat.INT.set(image, 8, 1 << 30);
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThatThrownBy(() -> HEAPSPAN.decodeFrom(new ByteArrayInputStream(image), Object.class))
                .isInstanceOf(HeapspanException.class);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(8 << 20);
    }

    /** Each claim alone is harmless; together they are not. */
    @Test
    void allocatesLittleForManyDeferredClaims() {
        int claims = 2_000;
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(TestImages.numbers(20, claims, 0));
        for (int i = 0; i < claims; i++) {
            body.writeBytes(TestImages.numbers(2, 20, 60_000));
        }
        byte[] image = TestImages.image(body.toByteArray());
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class)).isInstanceOf(HeapspanException.class);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).as("bytes allocated for %d bytes", image.length).isLessThan(64 << 20);
    }

    @Test
    void refusesNestingThatNoWriterMakes() {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int i = 0; i < 100_000; i++) {
            body.writeBytes(TestImages.numbers(20, 1, 0));
        }
        body.writeBytes(TestImages.numbers(0));
        byte[] image = TestImages.image(body.toByteArray());
        assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.MALFORMED))
                .hasMessageContaining("nest");
        // Optionals and replaced objects have no body to defer.
        for (int tag : new int[] {30, ImageFormat.TAG_REPLACED}) {
            body.reset();
            for (int i = 0; i < 1_000_000; i++) {
                body.writeBytes(TestImages.numbers(tag));
            }
            byte[] deep = TestImages.image(body.toByteArray());
            assertThatThrownBy(() -> HEAPSPAN.decode(deep, Object.class)).isInstanceOf(HeapspanException.class);
        }
    }

    @Test
    void refusesReferencesThatLeadNowhere() {
        for (long[] body : new long[][] {
            {1, 0},
            {1, 1L << 40},
            {1, -1},
            {2, 3},
            {2, 8},
            {2, 64},
            {64},
            {63},
            {1L << 31},
            {1L << 62},
            {20, 1, 0, 1, 1},
            {20, 1, 1},
            {20, 1, 2},
            {20, 1, 64},
            {21, 1, 3, 1, 0},
            {24, 1, 12, 3},
            {20, 1, 20, 9}
        }) {
            byte[] image = TestImages.image(TestImages.numbers(body));
            assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                    .as(Arrays.toString(body))
                    .isInstanceOf(HeapspanException.class);
        }
    }

    // ---------------------------------------------------------------- limits

    @Test
    void keepsLimitOfBytes() throws IOException {
        byte[] image = HEAPSPAN.encode(new int[1000]);
        int frameBytes = image.length - 20;
        assertThat(Heapspan.builder().maxBytes(frameBytes).build().decode(image, int[].class))
                .hasSize(1000);
        Heapspan less = Heapspan.builder().maxBytes(frameBytes - 1).build();
        assertThatThrownBy(() -> less.decode(image, int[].class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining("maxBytes");
        ByteArrayOutputStream large = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(new byte[20 << 20], large);
        Heapspan some = Heapspan.builder().maxBytes(1 << 20).build();
        ByteArrayInputStream source = new ByteArrayInputStream(large.toByteArray());
        assertThatThrownBy(() -> some.decodeFrom(source, byte[].class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
        int read = large.size() - source.available();
        assertThat(read).as("bytes taken from the stream").isLessThan(2 << 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 15, 16, 17, 63, 64, 65, 1000})
    void keepsLimitOfObjects(int most) {
        Object[] graph = new Object[most - 1];
        Arrays.setAll(graph, i -> new Point(i, i));
        Heapspan limited = Heapspan.builder().maxObjects(most).build();
        assertThat(limited.decode(HEAPSPAN.encode(graph), Object[].class)).hasSize(most - 1);
        Object[] oneMore = Arrays.copyOf(graph, most);
        oneMore[most - 1] = new Point(0, 0);
        byte[] image = HEAPSPAN.encode(oneMore);
        assertThatThrownBy(() -> limited.decode(image, Object[].class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining("maxObjects");
    }

    @Test
    void keepsLimitOfArrayLength() {
        Heapspan limited = Heapspan.builder().maxArrayLength(10).build();
        for (Object graph : new Object[] {
            new int[11],
            new Object[11],
            new String[11],
            new Point[11],
            new ArrayList<>(java.util.Collections.nCopies(11, "x")),
            new java.util.ArrayDeque<>(java.util.Collections.nCopies(11, "x")),
            new boolean[11]
        }) {
            byte[] image = HEAPSPAN.encode(graph);
            assertThatThrownBy(() -> limited.decode(image, Object.class))
                    .as(graph.getClass().getName())
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                    .hasMessageContaining("maxArrayLength 10");
        }
        Map<Integer, Integer> map = new HashMap<>();
        for (int i = 0; i < 11; i++) {
            map.put(i, i);
        }
        byte[] image = HEAPSPAN.encode(map);
        assertThatThrownBy(() -> limited.decode(image, Map.class)).hasMessageContaining("maxArrayLength");
        assertThat(limited.decode(HEAPSPAN.encode(new int[10]), int[].class)).hasSize(10);
    }

    // ---------------------------------------------------------------- admission

    /** Images that describe a class with ever new fields, as a hostile peer could send for ever. */
    @Test
    void readsAnyNumberOfForeignVersions() {
        byte[] image = UNCHECKED.encode(new Point(5, 6));
        int typesStart = 20;
        int typesEnd = typesStart + (int) ImageFormat.INT.get(image, 12);
        int nameOffset = -1;
        for (int i = typesStart; i < typesEnd; i++) {
            nameOffset = image[i] == 'x' ? i : nameOffset;
        }
        assertThat(nameOffset).isPositive();
        for (int name = 'A'; name <= 'X'; name++) {
            for (int repetition = 0; repetition < 2; repetition++) {
                Point read = UNCHECKED.decode(changed(image, nameOffset, name), Point.class);
                assertThat(read).isEqualTo(new Point(0, 6));
            }
        }
        assertThat(UNCHECKED.decode(image, Point.class)).isEqualTo(new Point(5, 6));
    }
}
