package org.heapspan.image.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.heapspan.Encoding;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.HeapspanObjectOutputStream;
import org.heapspan.LoaderScopes;
import org.heapspan.ObjectLinks;
import org.heapspan.TypeRegistry;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.inspect.InspectedImage.ClassUse;
import org.heapspan.image.inspect.InspectedImage.Node;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ImageInspectorTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final ImageInspector INSPECTOR = new ImageInspector(8, 100);

    static final class Customer implements Serializable {
        String name;
        Customer friend;
        boolean active;
        int age;
        long id;
        double balance;
        char grade;
        short rank;
        byte level;
        float share;

        Customer(String name, int age) {
            this.name = name;
            this.age = age;
        }
    }

    record Point(int x, int y) implements Serializable {}

    static final class Link implements Serializable {
        Link next;
    }

    static class Base implements Serializable {
        Object first;
    }

    static final class Hooked extends Base {
        int count = 3;

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeInt(7);
            out.writeObject("item");
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            in.readInt();
            in.readObject();
        }
    }

    /** Public, as Externalizable classes must be. */
    public static final class External implements Externalizable {
        public External() {}

        @Override
        public void writeExternal(ObjectOutput out) throws IOException {
            out.writeUTF("external");
            out.writeObject(List.of(1, 2));
        }

        @Override
        public void readExternal(ObjectInput in) throws IOException, ClassNotFoundException {
            in.readUTF();
            in.readObject();
        }
    }

    static final class Handler implements java.lang.reflect.InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments) {
            return null;
        }
    }

    private static InspectedImage inspect(byte[] image) {
        InspectedImage found = INSPECTOR.inspect(image);
        assertThat(found.problem()).isNull();
        assertThat(found.sizeBytes()).isEqualTo(image.length);
        assertAccountsForEveryByte(found);
        return found;
    }

    private static void assertAccountsForEveryByte(InspectedImage found) {
        long objects = found.classes().stream().mapToLong(ClassUse::bytes).sum();
        assertThat(objects + found.outsideBytes()).isEqualTo(found.frames().bodyBytes());
        long frameHeaders = ImageFormat.FRAME_HEADER_BYTES
                * (found.frames().count() + (found.frames().endFrame() ? 1 : 0));
        assertThat(ImageFormat.IMAGE_HEADER_BYTES
                        + frameHeaders
                        + found.frames().typesBytes()
                        + found.frames().bodyBytes()
                        + found.frames().trailingBytes())
                .isEqualTo(found.sizeBytes());
    }

    private static long count(InspectedImage found, String className) {
        return found.classes().stream()
                .filter(use -> use.className().equals(className))
                .mapToLong(ClassUse::count)
                .sum();
    }

    private static Node child(Node node, String label) {
        return node.children().stream()
                .filter(child -> child.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no child " + label + " in " + node));
    }

    @Test
    void showsFieldsValuesAndSharing() {
        Customer alice = new Customer("Alice", -200_000);
        alice.active = true;
        alice.id = 1L << 40;
        alice.balance = 2.5;
        alice.grade = 'A';
        alice.rank = -7;
        alice.level = 8;
        alice.share = 0.25f;
        alice.friend = new Customer("B\u001b[31mob", 30);
        alice.friend.friend = alice;

        InspectedImage found = inspect(HEAPSPAN.encode(alice));

        assertThat(found.header())
                .isEqualTo(new InspectedImage.Header(1, true, InspectedImage.Scope.RECORD, false, null, ""));
        assertThat(found.roots()).isEqualTo(1);
        assertThat(count(found, Customer.class.getName())).isEqualTo(2);
        assertThat(count(found, "java.lang.String")).isEqualTo(2);
        assertThat(found.references()).isEqualTo(1);
        Node root = found.tree().children().get(0);
        assertThat(root.type()).isEqualTo(Customer.class.getName());
        assertThat(root.index()).isZero();
        assertThat(child(root, "active").value()).isEqualTo("true");
        assertThat(child(root, "age").value()).isEqualTo("-200000");
        assertThat(child(root, "id").value()).isEqualTo("1099511627776");
        assertThat(child(root, "balance").value()).isEqualTo("2.5");
        assertThat(child(root, "grade").value()).isEqualTo("'A'");
        assertThat(child(root, "rank").value()).isEqualTo("-7");
        assertThat(child(root, "level").value()).isEqualTo("8");
        assertThat(child(root, "share").value()).isEqualTo("0.25");
        assertThat(child(root, "name").value()).isEqualTo("\"Alice\"");
        Node friend = child(root, "friend");
        assertThat(child(friend, "name").value()).isEqualTo("\"B\\u001b[31mob\"");
        assertThat(child(friend, "friend").reference()).isZero();
        InspectedImage.Type type = found.types().get(0);
        assertThat(type.kind()).isEqualTo("FIELDS");
        assertThat(type.fields()).hasSize(10);
        assertThat(type.fingerprint())
                .isEqualTo(ClassFields.fieldDescription(Customer.class, org.heapspan.Mode.SERIAL)
                        .fingerprint());
    }

    @SuppressWarnings({"JavaUtilDate", "JdkObsolete"})
    private static List<Object> oneOfEverything() {
        List<Object> all = new ArrayList<>(Arrays.asList(
                null,
                "text",
                "wide \u20ac",
                true,
                (byte) 1,
                (short) -2,
                'c',
                4,
                5L,
                6f,
                7d,
                new boolean[] {true, false},
                new byte[3],
                new short[4],
                new char[5],
                new int[6],
                new long[7],
                new float[8],
                new double[9],
                new Object[] {1, "x", null},
                new String[] {"a", null, "a"},
                String.class,
                new ArrayList<>(List.of(1, 2, 3)),
                new ArrayList<>(List.of(new Point(1, 2), new Point(3, 4))),
                new HashMap<>(java.util.Map.of("k", new Point(5, 6))),
                new LinkedHashMap<>(java.util.Map.of(1, Optional.of("v"))),
                new TreeMap<>(java.util.Map.of(TimeUnit.DAYS, TimeUnit.HOURS)),
                new HashSet<>(List.of(new Point(7, 8))),
                new LinkedHashSet<>(List.of("e")),
                Optional.of("value"),
                Optional.empty(),
                BigInteger.TEN.pow(500),
                new BigDecimal("12.50"),
                new UUID(1, 2),
                new Date(0),
                LocalDate.EPOCH,
                LocalTime.NOON,
                LocalDateTime.MAX,
                Instant.EPOCH,
                Duration.ofDays(1),
                StandardCharsets.UTF_16,
                Path.of("a", "b"),
                ByteBuffer.allocate(10),
                OptionalInt.of(1),
                OptionalLong.of(2),
                OptionalDouble.of(3),
                new Point[] {new Point(9, 9)},
                new int[][] {{1}, {2}},
                TimeUnit.DAYS,
                new Hooked(),
                new External(),
                Proxy.newProxyInstance(
                        ImageInspectorTest.class.getClassLoader(), new Class<?>[] {Runnable.class}, new Handler()),
                List.of(1, 2),
                (java.util.function.Supplier<String> & Serializable) () -> "lambda",
                new TreeMap<>(String.CASE_INSENSITIVE_ORDER),
                new IllegalStateException("thrown"),
                new Object[] {1, 2, 3, "x", null},
                new Object[] {"a", "b", "c", 1, null},
                new Object[] {TimeUnit.DAYS, TimeUnit.HOURS, TimeUnit.DAYS, 1L},
                new Object[] {new Date(1), new Date(2), new Date(3), "x", null},
                new java.util.LinkedList<>(List.of(1, 2)),
                new java.util.ArrayDeque<>(List.of("q")),
                java.util.TimeZone.getTimeZone("Europe/Berlin"),
                List.of(1, 2, 3),
                java.util.Set.of(1, 2, 3),
                java.util.Map.of("a", 1, "b", 2),
                java.util.Collections.emptyList(),
                java.util.Collections.emptyMap(),
                new java.util.concurrent.ConcurrentHashMap<>(java.util.Map.of("c", 1)),
                new java.util.concurrent.CopyOnWriteArrayList<>(List.of("w")),
                java.util.EnumSet.of(TimeUnit.DAYS, TimeUnit.NANOSECONDS),
                new java.util.EnumMap<>(java.util.Map.of(TimeUnit.DAYS, "d", TimeUnit.HOURS, new Point(1, 1))),
                new java.util.TreeSet<>(List.of("b", "a")),
                new TreeMap<>(java.util.Map.of("k", 1)).descendingMap(),
                compared(new TreeMap<>(java.util.Comparator.reverseOrder())),
                new java.util.TreeSet<>(java.util.Comparator.<String>naturalOrder()),
                new java.util.PriorityQueue<>(List.of(2, 1, 3))));
        all.add(all.get(23));
        return all;
    }

    private static java.util.Map<String, Integer> compared(java.util.Map<String, Integer> map) {
        map.put("a", 1);
        map.put("b", 2);
        return map;
    }

    @Test
    void knowsEveryBuiltInTypeAndKind() {
        InspectedImage found = inspect(HEAPSPAN.encode(oneOfEverything()));

        for (int tag = 0; tag < ImageFormat.TAG_FIRST_DESCRIBED_TYPE; tag++) {
            Codec codec = BuiltInTypes.codec(tag);
            if (codec != null
                    && tag != ImageFormat.TAG_REPLACED
                    && tag != BuiltInTypes.OWN_OBJECT_TAG
                    && tag != ImageFormat.TAG_LINK) {
                assertThat(count(found, InspectText.className(codec.type.getName())))
                        .as("objects with tag %d (%s)", tag, codec.type)
                        .isPositive();
            }
        }
        assertThat(found.types())
                .extracting(InspectedImage.Type::kind)
                .contains("FIELDS", "ENUM", "OBJECT_ARRAY", "PROXY", "HOOKS", "EXTERNAL");
        assertThat(count(found, "(writeReplace)")).isPositive();
        assertThat(count(found, Point.class.getName())).isEqualTo(6);
        assertThat(count(found, "int[]")).isEqualTo(3);
        Node list = found.tree().children().get(0);
        assertThat(list.children()).hasSize(oneOfEverything().size());
        assertThat(child(list, "[1]").value()).isEqualTo("\"text\"");
        assertThat(child(list, "[2]").value()).isEqualTo("\"wide \u20ac\"");
        assertThat(child(list, "[31]").type()).isEqualTo("java.math.BigInteger");
        assertThat(child(list, "[32]").value()).isEqualTo("12.50");
        assertThat(child(list, "[48]").value()).isEqualTo("DAYS");
        assertThat(child(child(list, "[24]"), "[\"k\"]").type()).isEqualTo(Point.class.getName());
        assertThat(child(list, "[" + (list.children().size() - 1) + "]").reference())
                .isEqualTo(child(list, "[23]").index());
    }

    @Test
    void followsDeferredBodiesToTheEnd() {
        Link first = null;
        for (int i = 0; i < 100_000; i++) {
            Link link = new Link();
            link.next = first;
            first = link;
        }

        InspectedImage found = inspect(HEAPSPAN.encode(first));

        assertThat(count(found, Link.class.getName())).isEqualTo(100_000);
        assertThat(found.deferredBodies()).isBetween(1000L, 1100L);
    }

    @Test
    void followsDeferredElementsAndSectionsWithinHooks() {
        Object inner = new ArrayList<>(List.of("end"));
        for (int i = 0; i < 500; i++) {
            Object[] array = {inner, i};
            inner = new ArrayList<>(List.of(new Object[] {array}, array));
        }
        Hooked hooked = new Hooked();
        hooked.first = null;
        List<Object> root = new ArrayList<>(List.of(hooked, inner, new ArrayList<>(List.of(hooked, hooked))));
        for (int i = 0; i < 300; i++) {
            root = new ArrayList<>(List.of(root));
        }

        InspectedImage found = inspect(HEAPSPAN.encode(root));

        assertThat(found.deferredBodies()).isPositive();
        assertThat(count(found, Hooked.class.getName())).isEqualTo(1);
        assertThat(count(found, "java.util.ArrayList")).isEqualTo(1 + 500 + 1 + 1 + 300);
    }

    @Test
    void showsWhatIsOutsideOfTheImage() {
        ObjectLinks links = new ObjectLinks() {
            @Override
            public boolean isLinked(Field field) {
                return field.getName().equals("friend");
            }

            @Override
            public long numberOf(Object object) {
                return 77;
            }

            @Override
            public Object objectOf(long number) {
                throw new IllegalStateException("nobody decodes");
            }
        };
        Customer customer = new Customer("Ann", 30);
        customer.friend = new Customer("Bob", 31);

        InspectedImage found = inspect(Heapspan.builder().links(links).build().encode(customer));

        assertThat(count(found, "(outside of the image)")).isOne();
        assertThat(child(found.tree().children().get(0), "friend").value()).isEqualTo("number 77");
        assertThat(count(found, Customer.class.getName())).isOne();
    }

    @Test
    void readsGroupsRecordByRecord() {
        GroupWriter group = HEAPSPAN.groupWriter();
        for (int i = 0; i < 50; i++) {
            group.write(new Customer("c" + i, i));
        }
        group.write(null);

        InspectedImage found = inspect(group.finish());

        assertThat(found.roots()).isEqualTo(51);
        assertThat(count(found, Customer.class.getName())).isEqualTo(50);
        assertThat(found.tree().children().get(49).index()).isZero();
    }

    @Test
    void readsObjectStreams() throws IOException {
        Customer shared = new Customer("shared", 1);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream out = new HeapspanObjectOutputStream(bytes)) {
            out.writeInt(42);
            out.writeObject(shared);
            out.writeObject(shared);
            out.flush();
            out.writeUTF("text");
            out.reset();
            out.writeObject(shared);
            out.writeObject(oneOfEverything());
        }

        InspectedImage found = inspect(bytes.toByteArray());

        assertThat(found.header().scope()).isEqualTo(InspectedImage.Scope.STREAM);
        assertThat(found.roots()).isEqualTo(4);
        assertThat(found.resets()).isEqualTo(1);
        assertThat(found.frames().endFrame()).isTrue();
        assertThat(found.frames().count()).isEqualTo(2);
        assertThat(count(found, Customer.class.getName())).isEqualTo(2);
        assertThat(found.outsideBytes()).isGreaterThan(4 + 6);
    }

    @Test
    void readsGroupsThatShareObjects() {
        Customer shared = new Customer("shared", 1);
        GroupWriter writer = HEAPSPAN.groupWriter(org.heapspan.IdentityScope.GROUP);
        writer.write(shared);
        writer.write(new Object[] {shared, shared});

        InspectedImage found = inspect(writer.finish());

        assertThat(found.header().scope()).isEqualTo(InspectedImage.Scope.GROUP);
        assertThat(found.roots()).isEqualTo(2);
        assertThat(found.references()).isEqualTo(2);
        assertThat(count(found, Customer.class.getName())).isEqualTo(1);
        Node second = found.tree().children().get(1);
        assertThat(second.index()).isEqualTo(2);
        assertThat(second.children()).extracting(Node::reference).containsExactly(0, 0);
    }

    @Test
    void readsImagesOfARegistryWithIt() throws ReflectiveOperationException {
        TypeRegistry registry = TypeRegistry.local();
        GeneratedClass.Loader plugin =
                new GeneratedClass.Loader(new GeneratedClass("generated.Plugged", Map.of("value", "I")));
        Heapspan heapspan = Heapspan.builder()
                .typeRegistry(registry)
                .loaderScopes(new LoaderScopes().name("plug-in", plugin))
                .build();
        Object plugged = plugin.newInstance("generated.Plugged");
        byte[] image = heapspan.encode(new Object[] {new Customer("Ada", 3), new Point(1, 2), plugged});

        InspectedImage found = new ImageInspector(8, 100, registry).inspect(image);

        assertThat(found.problem()).isNull();
        assertThat(found.header().registry()).isEqualTo(registry.id());
        assertThat(found.types()).extracting(InspectedImage.Type::name).contains("generated.Plugged");
        assertThat(found.types()).extracting(InspectedImage.Type::loaderScope).containsExactly("", "", "plug-in");
        assertThat(count(found, Customer.class.getName())).isEqualTo(1);
        assertThat(child(child(found.tree().children().get(0), "[0]"), "name").value())
                .isEqualTo("\"Ada\"");
        assertThat(new ImageInspector(8, 100, registry)
                        .inspect(HEAPSPAN.encode(new Point(1, 2)))
                        .problem())
                .isNull();
    }

    @Test
    void showsHeaderAndAllFramesWithoutTheRegistry() throws IOException {
        TypeRegistry registry = TypeRegistry.local();
        Heapspan heapspan = Heapspan.builder().typeRegistry(registry).build();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream out = new HeapspanObjectOutputStream(bytes, heapspan)) {
            out.writeObject(new Point(1, 2));
            out.flush();
            out.writeObject(new Customer("Ada", 3));
            out.flush();
            out.writeObject("text");
        }
        byte[] image = bytes.toByteArray();
        for (TypeRegistry other : new TypeRegistry[] {null, TypeRegistry.local()}) {
            InspectedImage found = new ImageInspector(8, 100, other).inspect(image);
            assertThat(found.problem()).hasMessageContaining(registry.id().toString());
            assertThat(found.problem().category()).isEqualTo(Category.CLASS_NOT_FOUND);
            assertThat(found.header().registry()).isEqualTo(registry.id());
            assertThat(found.frames().count()).isEqualTo(3);
            assertThat(found.frames().endFrame()).isTrue();
        }
        image[image.length - ImageFormat.FRAME_HEADER_BYTES - 1] ^= 1;
        assertThat(INSPECTOR.inspect(image).problem().category()).isEqualTo(Category.MALFORMED);
    }

    @Test
    void boundsTheMemoryForTypesOfARegistry() {
        byte[] large = new TypeDescription(
                        TypeDescription.Kind.ENUM, "Large", Collections.nCopies(6000, "constant"), List.of())
                .encode();
        TypeRegistry registry = TypeRegistry.local();
        registry.numberOf("", large);
        int count = 1000;
        byte[] image = new byte[20 + 16 + count];
        ImageFormat.putImageHeader(
                image, 0, ImageFormat.ENCODING_COMPACT, ImageFormat.FLAG_RECORD_SCOPE | ImageFormat.FLAG_REGISTRY);
        ImageFormat.INT.set(image, 12, 16 + count);
        ImageFormat.LONG.set(image, 20, registry.id().getMostSignificantBits());
        ImageFormat.LONG.set(image, 28, registry.id().getLeastSignificantBits());
        Arrays.fill(image, 36, image.length, (byte) 1);
        assertThat(new ImageInspector(8, 100, registry).inspect(image).problem().category())
                .isEqualTo(Category.LIMIT);
    }

    @Test
    void readsImagesOfManyFrames() throws IOException {
        List<Object> large = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            large.add(new long[1000]);
            large.add("x".repeat(5000));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(large, bytes);

        InspectedImage found = inspect(bytes.toByteArray());

        assertThat(found.frames().count()).isGreaterThan(4);
        assertThat(count(found, "long[]")).isEqualTo(200);
        assertThat(found.frames().first()).allMatch(InspectedImage.Frame::checksumMatches);
    }

    @Test
    void limitsTheTree() {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            numbers.add(i);
        }

        InspectedImage found = new ImageInspector(2, 10).inspect(HEAPSPAN.encode(List.of(numbers, numbers)));

        Node list = found.tree().children().get(0);
        assertThat(list.children().size() + list.omitted()).isPositive();
        InspectedImage narrow = new ImageInspector(2, 10).inspect(HEAPSPAN.encode(numbers));
        assertThat(narrow.tree().children().get(0).children()).hasSize(10);
        assertThat(narrow.tree().children().get(0).omitted()).isEqualTo(990);
        assertThat(new ImageInspector(0, 10)
                        .inspect(HEAPSPAN.encode(numbers))
                        .tree()
                        .children())
                .isEmpty();
    }

    @Test
    void loadsNoClassOfTheImage() {
        byte[] image = HEAPSPAN.encode(new Customer("x", 1));
        byte[] renamed = new String(image, StandardCharsets.ISO_8859_1)
                .replace("ImageInspectorTest$Customer", "ImageInspectorTest$Nowhere1")
                .getBytes(StandardCharsets.ISO_8859_1);

        InspectedImage found = INSPECTOR.inspect(renamed);

        assertThat(count(found, ImageInspectorTest.class.getName() + "$Nowhere1"))
                .isEqualTo(1);
        assertThat(found.frames().checksumMismatches()).isEqualTo(1);
        assertThat(found.problem()).hasMessageContaining("checksum of 1 frame does not match");
    }

    @Test
    void saysWhatItFoundBeforeTheImageWasCutOff() {
        byte[] image = HEAPSPAN.encode(oneOfEverything());

        InspectedImage found = INSPECTOR.inspect(Arrays.copyOf(image, image.length - 10));

        assertThat(found.problem()).hasMessageContaining("truncated");
        assertThat(found.problem().category()).isEqualTo(Category.MALFORMED);
        assertThat(count(found, "java.util.ArrayList")).isPositive();
    }

    @Test
    void refusesWhatIsNoImage() {
        byte[] image = HEAPSPAN.encode("x");
        assertCategory(new byte[0], Category.MALFORMED);
        assertCategory("not an image".getBytes(StandardCharsets.US_ASCII), Category.MALFORMED);
        assertCategory(Arrays.copyOf(image, 6), Category.MALFORMED);
        byte[] version = image.clone();
        version[ImageFormat.VERSION_OFFSET] = 99;
        assertCategory(version, Category.VERSION);
        byte[] encoding = image.clone();
        encoding[ImageFormat.ENCODING_OFFSET] = 3;
        assertCategory(encoding, Category.LAYOUT);
        encoding[ImageFormat.ENCODING_OFFSET] = ImageFormat.ENCODING_RAW;
        assertThat(INSPECTOR.inspect(encoding).problem()).hasMessageContaining("chunk");
    }

    @Test
    void showsWhatCopiesARawImageHolds() {
        Object[] root = {"a", "b", new Point(1, 2), new int[100_000], new Point(3, 4), List.of("c")};
        InspectedImage found = INSPECTOR.inspect(HEAPSPAN.encode(root, Encoding.RAW));

        assertThat(found.problem()).isNull();
        assertThat(found.header().raw()).isTrue();
        assertThat(found.header().heapLayout())
                .contains(String.format("%016x", Access.MACHINE.heapLayout().fingerprint()));
        assertThat(count(found, Point.class.getName())).isEqualTo(2);
        assertThat(count(found, "java.lang.String")).isEqualTo(2);
        assertThat(count(found, "int[]")).isEqualTo(1);
        assertThat(found.classes().get(0).bytes()).isBetween(400_000L, 400_100L);
        assertThat(found.types())
                .filteredOn(type -> type.name().equals(Point.class.getName()))
                .singleElement()
                .satisfies(type -> assertThat(type.fields()).hasSize(2));
        assertAccountsForEveryByte(found);
    }

    @Test
    void showsTheCopiesOfARawImageAsATree() {
        Point shared = new Point(1, 2);
        Object[] root = {"a\u56fe", shared, null, shared, List.of("c"), Thread.State.NEW, 1_000_000L, new int[3]};
        String tree = raw(root, 3, 10);

        assertThat(tree)
                .contains("record 0: java.lang.Object[] = 8 elements")
                .contains("  [0]: java.lang.String = \"a\u56fe\"")
                .contains("  [1]: " + Point.class.getName(), "    x: 1", "    y: 2")
                .contains("  [2]: null")
                .containsPattern("  \\[3]: -> #\\d+")
                .contains("  [4]: an object beside the copies", "  [5]: a constant")
                .contains("  [6]: java.lang.Long = 1000000", "  [7]: int[] = 3 elements");
        assertThat(raw(root, 1, 10)).contains("record 0: java.lang.Object[]").doesNotContain("[0]");
        assertThat(raw(root, 2, 2)).contains("[1]").doesNotContain("[2]").contains("6 omitted");
        assertThat(raw(new String[] {"x".repeat(1000)}, 2, 1)).contains("\"" + "x".repeat(100) + "\u2026\"");
        // An array of several chunks, and objects beyond what is kept.
        Object[] wide = new Object[200_000];
        wide[199_999] = "last";
        assertThat(raw(wide, 2, 200_000))
                .contains("record 0: java.lang.Object[] = 200000 elements", "\n  [49997]: null\n");
        Object[] large = new Object[100];
        Arrays.setAll(large, i -> new Object[] {new byte[200_000], i});
        assertThat(raw(large, 3, 100))
                .contains("    [0]: byte[] = 200000 elements", "    [0]: (beyond the first 16 MB)");
    }

    private static String raw(Object root, int depth, int width) {
        InspectedImage found = new ImageInspector(depth, width).inspect(HEAPSPAN.encode(root, Encoding.RAW));
        assertThat(found.problem()).isNull();
        StringBuilder text = new StringBuilder();
        print(text, found.tree(), "");
        return text.toString();
    }

    private static void print(StringBuilder text, InspectedImage.Node node, String indent) {
        for (InspectedImage.Node child : node.children()) {
            text.append(indent).append(child.label()).append(": ").append(child.type());
            text.append(child.type().isEmpty() || child.value().isEmpty() ? "" : " = ")
                    .append(child.value())
                    .append('\n');
            print(text, child, indent + "  ");
        }
        text.append(node.omitted() == 0 ? "" : indent + node.omitted() + " omitted\n");
    }

    private static void assertCategory(byte[] image, Category expected) {
        assertThatThrownBy(() -> INSPECTOR.inspect(image))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(expected));
    }

    /** Objects with hooks within one another, more than any stack holds, in an image that no writer wrote. */
    @Test
    void survivesNestingWithoutEnd() {
        byte[] image = HEAPSPAN.encode(new Object[] {1});
        int levels = 3_000_000;
        byte[] nested = Arrays.copyOf(image, 20 + levels);
        Arrays.fill(nested, 20, nested.length, (byte) (ImageFormat.TAG_REPLACED << 1 | 1));
        ImageFormat.INT.set(nested, 8, levels);

        InspectedImage found = INSPECTOR.inspect(nested);

        assertThat(found.problem().category()).isEqualTo(Category.MALFORMED);
        assertThat(found.problem().getCause())
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
    }

    @Test
    void takesAnyBytesForHostile() throws IOException {
        long seed = 20_261_121;
        Random random = new Random(seed);
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream out = new HeapspanObjectOutputStream(
                stream, Heapspan.builder().checksum(false).build())) {
            out.writeObject(oneOfEverything());
            out.writeLong(1);
            out.reset();
            out.writeObject(new Hooked());
        }
        byte[][] images = {
            HEAPSPAN.encode(oneOfEverything()),
            Heapspan.builder().checksum(false).build().encode(oneOfEverything()),
            stream.toByteArray(),
            Heapspan.builder().checksum(false).build().encode(oneOfEverything(), Encoding.RAW),
        };
        int sound = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] mutated = mutate(images[i % images.length], random);
            try {
                InspectedImage found = INSPECTOR.inspect(mutated);
                if (found.problem() == null) {
                    assertAccountsForEveryByte(found);
                    sound++;
                }
            } catch (HeapspanException expected) {
                assertThat(expected.category()).isIn(Category.MALFORMED, Category.VERSION, Category.LAYOUT);
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed + ", input " + i + ": " + e, e);
            }
        }
        assertThat(sound).as("mutations that change only values").isPositive();
    }

    private static byte[] mutate(byte[] image, Random random) {
        byte[] mutated = image.clone();
        switch (random.nextInt(4)) {
            case 0 -> mutated[random.nextInt(mutated.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> {
                for (int i = 0; i <= random.nextInt(8); i++) {
                    mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
                }
            }
            case 2 -> mutated = Arrays.copyOf(mutated, random.nextInt(mutated.length));
            default -> {
                int length = random.nextInt(32);
                int from = random.nextInt(mutated.length - length);
                int to = random.nextInt(mutated.length - length);
                System.arraycopy(image, from, mutated, to, length);
            }
        }
        return mutated;
    }

    @Test
    void readsAStreamNoFurtherThanItIsGiven() throws IOException {
        byte[] image = HEAPSPAN.encode(oneOfEverything());
        assertThat(INSPECTOR.inspect(new ByteArrayInputStream(image)).objects())
                .isEqualTo(INSPECTOR.inspect(image).objects());
    }
}
