package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.testing.RedefiningLoader;
import org.heapspan.vm.Carver;
import org.heapspan.vm.ClassFacts;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

@DisabledIfSystemProperty(named = "heapspan.access", matches = "unsafe|reflection")
@SuppressWarnings("serial")
class RawCarvingTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    private static Carver carver;

    /** The tests run on collectors and JVMs that have the direct engine; its absence is a failure, unless it was switched off. */
    @BeforeAll
    static void findEngine() {
        Assumptions.assumeFalse("false".equals(System.getProperty("heapspan.direct")), "switched off");
        carver = Access.MACHINE.carver();
        assertThat(carver).as("%s", Access.MACHINE.findings()).isNotNull();
    }

    static final class Node implements Serializable {
        private static final long serialVersionUID = 1L;

        int number;
        String name;
        TimeUnit unit;
        Object any;
        Node next;
        long[] numbers;
        Node[] nodes;

        Node(int number) {
            this.number = number;
            name = "node " + number;
            unit = TimeUnit.values()[number % TimeUnit.values().length];
        }
    }

    private static Node ring(int size) {
        Node first = new Node(0);
        Node last = first;
        for (int i = 1; i < size; i++) {
            last.next = new Node(i);
            last = last.next;
        }
        last.next = first;
        return first;
    }

    private static long windows() {
        return carver.statistics().windows();
    }

    private static <T> T carved(Object object, Class<T> type) {
        byte[] image = HEAPSPAN.encode(object, Encoding.RAW);
        long before = windows();
        T copy = HEAPSPAN.decodeTrusted(image, type);
        assertThat(windows()).as("windows").isGreaterThan(before);
        return copy;
    }

    @Test
    void keepsValuesAndIdentity() {
        Node node = ring(100);
        node.any = List.of(node.name).get(0);
        node.numbers = new long[] {1, 2, 3};
        node.nodes = new Node[] {node, null, node.next, node};
        Node copy = carved(node, Node.class);
        Node each = copy;
        for (int i = 0; i < 100; i++) {
            assertThat(each.number).isEqualTo(i);
            assertThat(each.name).isEqualTo("node " + i);
            assertThat(each.unit).isSameAs(TimeUnit.values()[i % TimeUnit.values().length]);
            each = each.next;
        }
        assertThat(each).isSameAs(copy);
        assertThat(copy.any).isSameAs(copy.name);
        assertThat(copy.numbers).containsExactly(1, 2, 3);
        assertThat(copy.nodes).containsExactly(copy, null, copy.next, copy);
    }

    @Test
    void sideObjectsAndCopiesReferToEachOther() {
        Node node = ring(3);
        node.any = Optional.of(node.next);
        node.next.any = new Object[] {Optional.of(node.name), node.any};
        Node copy = carved(node, Node.class);
        assertThat(((Optional<?>) copy.any).orElseThrow()).isSameAs(copy.next);
        Object[] array = (Object[]) copy.next.any;
        assertThat(((Optional<?>) array[0]).orElseThrow()).isSameAs(copy.name);
        assertThat(array[1]).isEqualTo(copy.any);
    }

    @Test
    void readsGroupsOfRecordsOfAllKinds() {
        List<Object> records = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            records.add(
                    switch (i % 7) {
                        case 0 -> null;
                        case 1 -> "text " + i;
                        case 2 -> TimeUnit.SECONDS;
                        case 3 -> Optional.of("value " + i);
                        case 4 -> i;
                        case 5 -> new ArrayList<>(Arrays.asList(i, null, Optional.of(i)));
                        default -> new long[] {i};
                    });
        }
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        records.forEach(writer::write);
        long before = windows();
        GroupReader reader = HEAPSPAN.trustedGroupReader(writer.finish());
        for (Object each : records) {
            assertThat(reader.hasNext()).isTrue();
            Object copy = reader.next();
            if (each instanceof long[] array) {
                assertThat((long[]) copy).containsExactly(array);
            } else {
                assertThat(copy).isEqualTo(each);
            }
        }
        assertThat(reader.hasNext()).isFalse();
        assertThat(windows()).isGreaterThan(before);
    }

    @Test
    void readsGroupsWithoutSideObjectsAtOnce() {
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        for (int i = 0; i < 10_000; i++) {
            writer.write(i % 5 == 0 ? null : new Node(i));
        }
        byte[] group = writer.finish();
        long before = windows();
        GroupReader reader = HEAPSPAN.trustedGroupReader(group);
        for (int i = 0; i < 10_000; i++) {
            Node node = (Node) reader.next();
            assertThat(node == null).isEqualTo(i % 5 == 0);
            if (node != null) {
                assertThat(node.number).isEqualTo(i);
            }
        }
        assertThat(reader.hasNext()).isFalse();
        assertThat(windows()).isGreaterThan(before + 2);
    }

    private static void assertRing(Node first, int size) {
        Node each = first;
        for (int i = 0; i < size; i++) {
            assertThat(each.number).isEqualTo(i);
            assertThat(each.name).isEqualTo("node " + i);
            each = each.next;
        }
        assertThat(each).isSameAs(first);
    }

    /** Two chunks and 400 KB, which fit into the smallest region of G1's, with references both ways and an array in both. */
    @Test
    void makesGraphsOfSeveralChunksAtOnce() {
        Node node = ring(1000);
        node.nodes = new Node[70_000];
        Arrays.fill(node.nodes, node.next);
        node.nodes[69_999] = node;
        node.any = Optional.of(node.next.next);
        node.next.any = List.of((Object) node.nodes);
        Node copy = carved(node, Node.class);
        assertRing(copy, 1000);
        assertThat(copy.nodes).hasSize(70_000);
        assertThat(copy.nodes[0]).isSameAs(copy.next);
        assertThat(copy.nodes[69_998]).isSameAs(copy.next);
        assertThat(copy.nodes[69_999]).isSameAs(copy);
        assertThat(((Optional<?>) copy.any).orElseThrow()).isSameAs(copy.next.next);
        assertThat(((List<?>) copy.next.any).get(0)).isSameAs(copy.nodes);
    }

    /** Each frame of a stream or of buffers comes in an array of its own. */
    @Test
    void makesGraphsOfSeveralFramesAtOnceThoughTheyAreInSeveralArrays() throws Exception {
        Node node = ring(1000);
        node.nodes = new Node[70_000];
        Arrays.fill(node.nodes, node.next);
        node.next.any = Optional.of(node.name);
        byte[] image = HEAPSPAN.encode(node, Encoding.RAW);
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        for (int i = 0; i < 3; i++) {
            writer.write("before");
            writer.write(node);
        }
        long before = windows();
        byte[] group = writer.finish();
        ByteBuffer outsideOfTheHeap = ByteBuffer.allocateDirect(group.length);
        outsideOfTheHeap.put(group).flip();
        GroupReader reader = HEAPSPAN.trustedGroupReader(outsideOfTheHeap);
        List<Object> copies = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            assertThat(reader.next()).isEqualTo("before");
            copies.add(reader.next());
        }
        assertThat(windows()).as("windows of a group").isGreaterThanOrEqualTo(before + 3);
        before = windows();
        copies.add(HEAPSPAN.decodeTrustedFrom(new ByteArrayInputStream(image), Node.class));
        assertThat(windows()).as("windows of a stream").isGreaterThan(before);
        before = windows();
        ByteBuffer[] buffers = {
            ByteBuffer.wrap(image, 0, 100_001), ByteBuffer.wrap(image, 100_001, image.length - 100_001)
        };
        copies.add(HEAPSPAN.decodeTrustedFrom(buffers, Node.class));
        assertThat(windows()).as("windows of buffers").isGreaterThan(before);
        for (Object each : copies) {
            Node copy = (Node) each;
            assertRing(copy, 1000);
            assertThat(copy.nodes).hasSize(70_000).containsOnly(copy.next);
            assertThat(((Optional<?>) copy.next.any).orElseThrow()).isSameAs(copy.name);
        }
    }

    static final class Labelled implements Serializable {
        List<String> side;
        String name;
        Object large;
    }

    /** The chunk that ends the record holds no copies then, only what side objects refer to. */
    @Test
    void sideObjectsFindCopiesInFrontOfAnArrayOfSeveralChunks() {
        // In heaps of less than 2 GB half a region of G1 has no room for three chunks.
        int most = (int) Math.min(600_000, carver.maxBytes() - 1000);
        for (Object large : new Object[] {new long[40_000], new byte[300_000], new Object[70_000], new byte[most]}) {
            Labelled labelled = new Labelled();
            labelled.name = "name";
            labelled.side = List.of(labelled.name);
            labelled.large = large;
            Labelled copy = carved(labelled, Labelled.class);
            assertThat(copy.name).isEqualTo("name");
            assertThat(copy.side.get(0)).isSameAs(copy.name);
            assertThat(copy.large).isEqualTo(large);
        }
    }

    @Test
    void leavesLargeGraphsToThePortableReader() {
        byte[] image = HEAPSPAN.encode(ring(100_000), Encoding.RAW);
        long before = windows();
        assertRing(HEAPSPAN.decodeTrusted(image, Node.class), 100_000);
        assertThat(windows()).isEqualTo(before);
    }

    @Test
    void readsGroupsOfSmallAndLargeRecords() {
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        int[] sizes = {1, 5000, 1, 2, 100_000, 3, 10_000, 10_000, 1};
        for (int size : sizes) {
            writer.write(null);
            writer.write(ring(size));
        }
        GroupReader reader = HEAPSPAN.trustedGroupReader(writer.finish());
        for (int size : sizes) {
            assertThat(reader.next()).isNull();
            assertRing((Node) reader.next(), size);
        }
        assertThat(reader.hasNext()).isFalse();
    }

    /** Cut between two frames of a record, where a reader of records finds nothing missing in the bytes themselves. */
    @Test
    void refusesAGroupThatEndsWithinARecord() {
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        writer.write(ring(10_000));
        byte[] group = writer.finish();
        int frame = ImageFormat.IMAGE_HEADER_BYTES;
        int bodyBytes = (int) ImageFormat.INT.get(group, frame + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        int typesBytes = (int) ImageFormat.INT.get(group, frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
        int cut = frame + ImageFormat.FRAME_HEADER_BYTES + bodyBytes + typesBytes;
        assertThat(cut).isLessThan(group.length);
        GroupReader reader = HEAPSPAN.trustedGroupReader(Arrays.copyOf(group, cut));
        assertThatThrownBy(reader::hasNext)
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("ends within a record");
    }

    @Test
    void updatesRunForClassesThatHaveThem() throws Exception {
        Heapspan updating = Heapspan.builder()
                .registerUpdate(Node.class.getDeclaredField("number"), (owner, sent) -> (Integer) sent + 1)
                .build();
        Node copy = updating.decodeTrusted(HEAPSPAN.encode(ring(2), Encoding.RAW), Node.class);
        assertThat(copy.number).isEqualTo(1);
        assertThat(copy.next.number).isEqualTo(2);
    }

    static class Animal implements Serializable {}

    static final class Dog extends Animal {}

    static final class Kennel implements Serializable {
        Animal guest;
        Animal[] guests;
    }

    /** Two loaders have a class of the same name each: by name a dog is an animal, in truth it is one of another kind. */
    @Test
    void namesakesOfOtherLoadersDoNotAgree() throws Exception {
        Class<?> otherDog = new RedefiningLoader(Dog.class, Animal.class).own(Dog.class);
        assertThat(otherDog).isNotSameAs(Dog.class);
        FieldAccess[] fields = {
            new FieldAccess(Kennel.class.getDeclaredField("guest")),
            new FieldAccess(Kennel.class.getDeclaredField("guests"))
        };
        Map<String, Class<?>> byName = new HashMap<>();
        assertThat(carvable(Kennel.class, fields).agrees(byName)).isTrue();
        assertThat(byName).containsEntry(Animal.class.getName(), Animal.class);
        assertThat(carvable(Dog.class).agrees(new HashMap<>(byName))).isTrue();
        assertThat(carvable(Dog[].class).agrees(new HashMap<>(byName))).isTrue();
        assertThat(carvable(otherDog).agrees(new HashMap<>(byName))).isFalse();
        assertThat(carvable(otherDog.arrayType()).agrees(new HashMap<>(byName))).isFalse();
    }

    private static RawClass carvable(Class<?> type, FieldAccess... fields) {
        RawClass made = new RawClass.Array(RawLayout.OWN, Object[].class);
        made.allowCarving(new ClassFacts(type, 1, 0, new int[0]), RawRelations.classes(type, fields));
        return made;
    }

    @Test
    void relationsTellDeclaredTypesAndSupertypesApart() throws Exception {
        FieldAccess guest = new FieldAccess(Kennel.class.getDeclaredField("guest"));
        FieldAccess next = new FieldAccess(Node.class.getDeclaredField("next"));
        long relations = RawRelations.fingerprint(Kennel.class, new FieldAccess[] {guest});
        assertThat(RawRelations.fingerprint(Kennel.class, new FieldAccess[] {next}))
                .isNotEqualTo(relations);
        assertThat(RawRelations.fingerprint(Dog.class, new FieldAccess[0]))
                .isNotEqualTo(RawRelations.fingerprint(Animal.class, new FieldAccess[0]));
        assertThat(RawRelations.fingerprint(Dog[].class, new FieldAccess[0]))
                .isNotEqualTo(RawRelations.fingerprint(Animal[].class, new FieldAccess[0]));
        assertThat(RawRelations.classes(Dog.class, new FieldAccess[0]))
                .containsExactlyInAnyOrder(Dog.class, Animal.class, Object.class, Serializable.class);
    }
}
