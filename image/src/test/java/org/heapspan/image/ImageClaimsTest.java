package org.heapspan.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.testing.NestedKind.onStack;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.text.DateFormatSymbols;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanObjectInputStream;
import org.heapspan.Mode;
import org.heapspan.image.HostileStructure.Body;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Field;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.TestImages;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How much memory an image takes for its bytes, whatever it announces. */
@Tag("once")
final class ImageClaimsTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** SECURITY.md states it. */
    private static final int MOST_BYTES_FOR_A_BYTE = 128;

    /** What takes memory whatever the size of the image: messages, steps of a stream, tables for the first objects. */
    private static final long CONSTANT_BYTES = 3 << 20;

    private static final int IMAGE_BYTES = 32 << 10;

    /** Ways of reading an image. */
    private enum Way {
        ARRAY(ImageFormat.FLAG_RECORD_SCOPE) {
            @Override
            void read(byte[] image) {
                HEAPSPAN.decode(image, Object.class);
            }
        },
        STREAM(ImageFormat.FLAG_RECORD_SCOPE) {
            @Override
            void read(byte[] image) throws IOException {
                HEAPSPAN.decodeFrom(new ByteArrayInputStream(image), Object.class);
            }
        },
        GROUP(ImageFormat.FLAG_GROUP_SCOPE) {
            @Override
            void read(byte[] image) {
                GroupReader reader = HEAPSPAN.groupReader(image);
                while (reader.hasNext()) {
                    reader.next();
                }
            }
        },
        OBJECT_STREAM(0) {
            @Override
            void read(byte[] image) throws IOException, ClassNotFoundException {
                try (HeapspanObjectInputStream stream =
                        new HeapspanObjectInputStream(new ByteArrayInputStream(image), HEAPSPAN)) {
                    stream.readObject();
                }
            }
        },
        INSPECTION(ImageFormat.FLAG_RECORD_SCOPE) {
            @Override
            void read(byte[] image) {
                new ImageInspector(100, 100).inspect(image);
            }
        };

        private final int flags;

        Way(int flags) {
            this.flags = flags;
        }

        abstract void read(byte[] image) throws IOException, ClassNotFoundException;

        Body begin() {
            return this == OBJECT_STREAM ? new Body().bytes(ImageFormat.ITEM_OBJECT) : new Body();
        }

        /** What reading allocates, whether it fails or not. */
        long allocatedBytes(byte[] image) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            try {
                read(image);
            } catch (HeapspanException | IOException | ClassNotFoundException expected) {
                // Nothing else may come out.
            }
            return THREADS.getCurrentThreadAllocatedBytes() - before;
        }
    }

    /** Two structures in turn, each with as many elements as half of the bytes could be. */
    private static byte[] nested(Way way, HostileStructure outer, HostileStructure inner, int levels) {
        return HostileStructure.nested(way.flags, way.begin(), outer, inner, levels, IMAGE_BYTES);
    }

    private static void assertProportionate(Way way, String name, byte[] image, List<String> excesses) {
        long most = (long) MOST_BYTES_FOR_A_BYTE * image.length + CONSTANT_BYTES;
        long allocated = way.allocatedBytes(image);
        if (allocated > most) {
            excesses.add(way + ", " + name + ": " + allocated + " bytes for " + image.length);
        }
    }

    @Test
    void takesMemoryInProportionForEachStructureInEachOther() {
        List<HostileStructure> structures = HostileStructure.all();
        List<String> excesses = new ArrayList<>();
        for (HostileStructure outer : structures) {
            for (HostileStructure inner : structures) {
                byte[] image = nested(Way.ARRAY, outer, inner, 45);
                assertProportionate(Way.ARRAY, outer + " and " + inner, image, excesses);
            }
        }
        assertThat(excesses).isEmpty();
    }

    /** A container that the format gets must be among the structures. */
    @Test
    void knowsAllBuiltInContainers() {
        Set<Integer> known = new HashSet<>();
        for (HostileStructure structure : HostileStructure.all()) {
            Body body = new Body();
            structure.beginning().write(body, ImageFormat.TAG_FIRST_DESCRIBED_TYPE, 1);
            known.add((body.toByteArray()[0] & 0xFF) >>> 1);
        }
        for (int tag = ImageFormat.TAG_FIRST_TYPE; tag < ImageFormat.TAG_FIRST_DESCRIBED_TYPE; tag++) {
            Codec codec = BuiltInTypes.codec(tag);
            // Sets of enums are bits, and what is empty has no elements.
            if (codec != null
                    && (Collection.class.isAssignableFrom(codec.type)
                            || Map.class.isAssignableFrom(codec.type)
                            || Object[].class.isAssignableFrom(codec.type))
                    && tag != BuiltInTypes.ENUM_SET_TAG
                    && tag != BuiltInTypes.EMPTY_TAG) {
                assertThat(known).as("%s, tag %d", codec.type, tag).contains(tag);
            }
        }
    }

    /** An {@code Optional} in between lets them nest deeper than others. */
    @ParameterizedTest
    @EnumSource(Way.class)
    void takesMemoryInProportionForStructuresHoweverTheyAreRead(Way way) {
        HostileStructure optional = HostileStructure.named("Optional");
        List<String> excesses = new ArrayList<>();
        for (HostileStructure structure : HostileStructure.all()) {
            assertProportionate(way, structure + " and Optional", nested(way, optional, structure, 150), excesses);
        }
        assertThat(excesses).isEmpty();
    }

    /** Maps of which each has a slot for each constant of an enum, of which the image names one. */
    @Test
    void takesMemoryInProportionForMapsOfEnums() {
        HostileStructure map = HostileStructure.named("EnumMap");
        int count = IMAGE_BYTES / 3;
        Body body = new Body().numbers(20, count, 0);
        for (int i = 0; i < count; i++) {
            body.numbers(2, 56, ImageFormat.TAG_FIRST_DESCRIBED_TYPE);
        }
        byte[] image = TestImages.image(Way.ARRAY.flags, HostileStructure.describe(map), body.toByteArray());
        List<String> excesses = new ArrayList<>();
        assertProportionate(Way.ARRAY, "EnumMap", image, excesses);
        assertThat(excesses).isEmpty();
    }

    /** What methods of the JDK copy: an image may refer to one array from a thousand objects. */
    static Stream<HostileCopy> copies() {
        return HostileCopy.all().stream();
    }

    @ParameterizedTest
    @MethodSource("copies")
    void takesMemoryInProportionForCopies(HostileCopy copy) {
        byte[] image = copy.image(IMAGE_BYTES);
        List<String> excesses = new ArrayList<>();
        assertProportionate(Way.ARRAY, copy.name(), image, excesses);
        assertThat(excesses).isEmpty();
    }

    /** A tree of the inspector whose values are sets of constants, each with the names of all of them. */
    @Test
    void inspectorTakesMemoryInProportionForSetsOfEnums() {
        List<String> names =
                IntStream.range(0, 300).mapToObj(i -> "n".repeat(190) + i).toList();
        TypeDescription type = new TypeDescription(Kind.ENUM, "NoEnum", names, List.of());
        int count = 1000;
        Body body = new Body().numbers(20, count, 0);
        for (int i = 0; i < count; i++) {
            body.numbers(BuiltInTypes.ENUM_SET_TAG, ImageFormat.TAG_FIRST_DESCRIBED_TYPE)
                    .repeated(-1, 37)
                    .bytes(15);
        }
        byte[] image = TestImages.image(Way.INSPECTION.flags, type.encode(), body.toByteArray());
        InspectedImage found = new ImageInspector(10, count).inspect(image);
        assertThat(found.problem()).isNull();
        List<InspectedImage.Node> sets = found.tree().children().get(0).children();
        assertThat(sets)
                .hasSize(count)
                .allSatisfy(set -> assertThat(set.value()).hasSizeBetween(60, 600));
    }

    /** Versions of a class that are not ours stay known as long as the class: there is room for some. */
    @Test
    void keepsOnlySomeForeignVersions() throws NoSuchFieldException {
        // One that nobody else has.
        CodecRegistry registry = PolicyCodecRegistry.of(
                Mode.SERIAL, Map.of(Held.class.getDeclaredField("held"), (object, value) -> value));
        int kept = 0;
        for (int version = 0; version < 30; version++) {
            String field = "f".repeat(60_000) + version;
            TypeDescription description = new TypeDescription(
                    Kind.FIELDS,
                    Held.class.getName(),
                    List.of(),
                    List.of(new Level(Held.class.getName(), 0, List.of(new Field('I', field)))));
            Codec codec = registry.evolved(Held.class, description);
            kept += registry.evolved(Held.class, description) == codec ? 1 : 0;
        }
        assertThat(kept).isBetween(5, 9);
        TypeDescription own = registry.codecOf(Held.class).description;
        assertThat(registry.evolved(Held.class, own)).isSameAs(registry.codecOf(Held.class));
    }

    static final class Held implements Serializable {
        Object held;
    }

    /** A set that travels with the methods of its superclass. */
    static final class OwnSet extends HashSet<Object> {
        OwnSet(int capacity, float loadFactor) {
            super(capacity, loadFactor);
        }
    }

    /** What the JDK makes and the methods of its classes copy or make room for takes no more than it pays for. */
    @SuppressWarnings("JdkObsolete") // Users have Vector.
    static Stream<Named<Supplier<Object>>> honest() {
        String text = "https://example.org/a/path/that/many/objects/share/with/one/another";
        return Stream.of(
                Named.of(
                        "queue",
                        () -> new PriorityBlockingQueue<>(
                                IntStream.range(0, 200_000).boxed().toList())),
                Named.of("set with a small load factor", () -> filled(new OwnSet(16, 0.25f), 200_000)),
                Named.of("small sets", () -> many(() -> filled(new OwnSet(1, 0.25f), 1))),
                Named.of("URIs", () -> many(() -> URI.create(text))),
                Named.of("patterns", () -> many(() -> Pattern.compile(text.repeat(10)))),
                Named.of("builders", () -> many(() -> new StringBuilder(text))),
                Named.of("exceptions", () -> many(() -> new IllegalStateException(text))),
                Named.of("vectors", () -> many(() -> new Vector<>(List.of(text)))),
                Named.of("symbols that share arrays", () -> many(DateFormatSymbols::new)),
                Named.of("maps of enums", () -> many(() -> new EnumMap<>(Character.UnicodeScript.class))));
    }

    private static Object filled(Set<Object> set, int count) {
        IntStream.range(0, count).forEach(set::add);
        return set;
    }

    private static Object many(Supplier<Object> maker) {
        return Stream.generate(maker).limit(20_000).toArray();
    }

    /** On a thread of its own, as exceptions made on one of the tests have traces of a hundred elements. */
    @ParameterizedTest
    @MethodSource("honest")
    void believesWhatWritersAnnounce(Supplier<Object> graph) throws Exception {
        byte[] image = HEAPSPAN.encode(onStack(1 << 20, graph::get));
        assertThat(HEAPSPAN.decode(image, Object.class)).isNotNull();
    }

    /** Bytes that are read ahead take as much memory as the array that they are for. */
    @Test
    void readsTrustedStreamsFrameByFrame() throws IOException {
        long[] numbers = LongStream.range(0, 1 << 20).toArray();
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(numbers, Encoding.COMPACT, image);
        Asked trusted = new Asked(image.toByteArray());
        assertThat(Arrays.equals(HEAPSPAN.decodeTrustedFrom(trusted, long[].class), numbers))
                .isTrue();
        assertThat(trusted.mostBytes).isLessThanOrEqualTo(ImageFormat.FRAME_TARGET_BYTES * 2);
        Asked untrusted = new Asked(image.toByteArray());
        assertThat(Arrays.equals(HEAPSPAN.decodeFrom(untrusted, long[].class), numbers))
                .isTrue();
        assertThat(untrusted.mostBytes).isGreaterThan(2 << 20);
        ByteArrayOutputStream unchecked = new ByteArrayOutputStream();
        Heapspan.builder().checksum(false).build().encodeTo(numbers, Encoding.COMPACT, unchecked);
        Asked withoutChecksum = new Asked(unchecked.toByteArray());
        assertThat(Arrays.equals(HEAPSPAN.decodeTrustedFrom(withoutChecksum, long[].class), numbers))
                .isTrue();
        assertThat(withoutChecksum.mostBytes).isGreaterThan(2 << 20);

        Asked cutOff = new Asked(Arrays.copyOf(image.toByteArray(), image.size() / 2));
        assertThatThrownBy(() -> HEAPSPAN.decodeTrustedFrom(cutOff, long[].class))
                .isInstanceOfSatisfying(
                        HeapspanException.class,
                        e -> assertThat(e.category()).isEqualTo(HeapspanException.Category.MALFORMED));
    }

    /** Knows the most bytes that were wanted at once. */
    private static final class Asked extends ByteArrayInputStream {
        private int mostBytes;

        Asked(byte[] bytes) {
            super(bytes);
        }

        @Override
        public byte[] readNBytes(int length) throws IOException {
            mostBytes = Math.max(mostBytes, length);
            return super.readNBytes(length);
        }

        @Override
        public synchronized int read(byte[] target, int offset, int length) {
            mostBytes = Math.max(mostBytes, length);
            return super.read(target, offset, length);
        }
    }

    @Test
    void fitsSmallHeaps() throws IOException, InterruptedException {
        JavaProcess.Result result = JavaProcess.run(HostileMemoryRun.class, List.of("-Xmx24m", "-XX:+UseSerialGC"));
        assertThat(Integer.parseInt(result.value("classes"))).isGreaterThan(40);
        assertThat(Integer.parseInt(result.value("refused"))).isGreaterThan(50);
    }
}
