package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Groups whose records are one identity scope. */
@Tag("once")
final class GroupScopeTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Node implements Serializable {
        int number;
        Object first;
        Object second;

        Node(int number) {
            this.number = number;
        }
    }

    /** A key whose hash code depends on what it refers to. */
    static final class Key implements Serializable {
        Object part;

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.part.equals(part);
        }

        @Override
        public int hashCode() {
            return part.hashCode();
        }
    }

    static final class Replaced implements Serializable {
        transient int value = 1;

        private Object writeReplace() {
            return new Replacement();
        }
    }

    static final class Replacement implements Serializable {
        private Object readResolve() {
            return new Replaced();
        }
    }

    static final class Unreadable implements Serializable {
        private void readObject(ObjectInputStream stream) throws IOException {
            throw new IOException("not today");
        }
    }

    private static GroupWriter writer() {
        return HEAPSPAN.groupWriter(IdentityScope.GROUP);
    }

    private static List<Object> read(byte[] group) {
        List<Object> records = new ArrayList<>();
        GroupReader reader = HEAPSPAN.groupReader(group);
        while (reader.hasNext()) {
            records.add(reader.next());
        }
        return records;
    }

    @Test
    void keepsObjectsSharedByRecords() {
        Node shared = new Node(1);
        String text = new String("text");
        Replaced replaced = new Replaced();
        GroupWriterTest.Box hooked = new GroupWriterTest.Box(new HeapspanTest.HalfWritten(3, false));
        GroupWriter writer = writer();
        writer.write(shared);
        writer.write(null);
        writer.write(new Object[] {shared, text, replaced, hooked.content});
        writer.write(text);
        writer.write(shared);
        writer.write(new ArrayList<>(List.of(text, shared, replaced)));
        writer.write(hooked);

        List<Object> copies = read(writer.finish());

        Object[] array = (Object[]) copies.get(2);
        List<?> list = (List<?>) copies.get(5);
        assertThat(copies.get(1)).isNull();
        assertThat(array[0]).isSameAs(copies.get(0)).isSameAs(copies.get(4)).isSameAs(list.get(1));
        assertThat(array[1]).isEqualTo("text").isSameAs(copies.get(3)).isSameAs(list.get(0));
        assertThat(array[2]).isInstanceOf(Replaced.class).isSameAs(list.get(2));
        assertThat(array[3]).isSameAs(((GroupWriterTest.Box) copies.get(6)).content);
        assertThat(((Node) array[0]).number).isEqualTo(1);
    }

    @Test
    void beginsAnewWithEachGroup() {
        Node shared = new Node(1);
        GroupWriter writer = writer();
        List<byte[]> groups = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            writer.write(shared);
            writer.write(shared);
            groups.add(writer.finish());
        }
        for (byte[] group : groups) {
            assertThat(group).isEqualTo(groups.get(0));
        }
        List<Object> copies = read(groups.get(0));
        assertThat(copies.get(0)).isSameAs(copies.get(1));
    }

    @Test
    void keepsTheFirstStateOfAnObjectThatChanges() {
        Node node = new Node(1);
        GroupWriter writer = writer();
        writer.write(node);
        node.number = 2;
        writer.write(node);

        List<Object> copies = read(writer.finish());

        assertThat(copies.get(1)).isSameAs(copies.get(0));
        assertThat(((Node) copies.get(1)).number).isEqualTo(1);
    }

    @Test
    void findsKeysOfEarlierRecordsInHashContainers() {
        Key key = new Key();
        key.part = new ArrayList<>(List.of("a", 1));
        Map<Object, Object> map = new HashMap<>(Map.of(key, "value"));
        GroupWriter writer = writer();
        writer.write(key);
        writer.write(map);
        writer.write(List.of(map, key));

        List<Object> copies = read(writer.finish());

        assertThat(((Map<?, ?>) copies.get(1)).get(copies.get(0))).isEqualTo("value");
        assertThat(((List<?>) copies.get(2)).get(0)).isSameAs(copies.get(1));
    }

    @ParameterizedTest
    @EnumSource
    void leavesAGroupAsItWasWhereARecordFails(IdentityScope scope) {
        GroupWriter writer = HEAPSPAN.groupWriter(scope);
        GroupWriter expected = HEAPSPAN.groupWriter(scope);
        Node known = new Node(0);
        for (int i = 0; i < 200; i++) {
            Node fresh = new Node(i);
            fresh.first = known;
            fresh.second = "text " + i;
            // Objects that only the failing record has met so far must not be taken for known by those that follow.
            Object failing = i % 2 == 0 ? Thread.currentThread() : new HeapspanTest.HalfWritten(1, true);
            assertThatThrownBy(() -> writer.write(new Object[] {known, fresh, fresh.second, new int[1], failing}))
                    .isInstanceOf(HeapspanException.class);
            for (GroupWriter each : new GroupWriter[] {writer, expected}) {
                each.write(fresh);
                each.write(new Object[] {known, fresh, fresh.second, new HeapspanTest.HalfWritten(2, false)});
            }
        }
        byte[] group = writer.finish();
        assertThat(group).isEqualTo(expected.finish());
        assertThat(read(group)).hasSize(400);
    }

    /** The failing record has filled frames that are already closed. */
    @Test
    void takesBackClosedFrames() {
        GroupWriter writer = writer();
        Node first = new Node(1);
        byte[][] parts = new byte[100][1 << 20];
        writer.write(first);
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> writer.write(new Object[] {first, parts, Thread.currentThread()}))
                    .isInstanceOf(HeapspanException.class);
            writer.write(new Object[] {first, parts[0]});
        }
        List<Object> copies = read(writer.finish());
        assertThat(copies).hasSize(3);
        assertThat(((Object[]) copies.get(1))[0]).isSameAs(copies.get(0));
        assertThat(((Object[]) copies.get(2))[1]).isSameAs(((Object[]) copies.get(1))[1]);
    }

    @Test
    void keepsSharingAcrossFrames() {
        GroupWriter writer = writer();
        byte[][] parts = new byte[100][1 << 20];
        for (byte[] part : parts) {
            writer.write(part);
        }
        writer.write(parts);
        List<Object> copies = read(writer.finish());
        assertThat(copies).hasSize(101);
        assertThat((Object[]) copies.get(100))
                .usingElementComparator((a, b) -> a == b ? 0 : 1)
                .containsExactlyElementsOf(copies.subList(0, 100));
    }

    @Test
    void keepsTheShapeOfRandomGraphsWhileObjectsMove() {
        long seed = Long.getLong("heapspan.tests.seed", 20261122);
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            List<Node> nodes = new ArrayList<>();
            GroupWriter writer = writer();
            List<Object> records = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Node node = new Node(nodes.size());
                node.first = nodes.isEmpty() ? node : nodes.get(random.nextInt(nodes.size()));
                node.second = random.nextInt(3) == 0 ? node.first : new Node(-1);
                nodes.add(node);
                Object record = random.nextBoolean() ? node : new Object[] {node, node.second};
                records.add(record);
                writer.write(record);
                if (i % 20 == 0) {
                    System.gc();
                }
            }
            List<Object> copies = read(writer.finish());
            IdentityHashMap<Object, Object> pairs = new IdentityHashMap<>();
            IdentityHashMap<Object, Object> back = new IdentityHashMap<>();
            assertThat(copies).as("seed %d", seed).hasSameSizeAs(records);
            for (int i = 0; i < records.size(); i++) {
                assertSameShape(records.get(i), copies.get(i), pairs, back, seed);
            }
        }
    }

    private static void assertSameShape(
            Object original,
            Object copy,
            IdentityHashMap<Object, Object> pairs,
            IdentityHashMap<Object, Object> back,
            long seed) {
        if (original == null) {
            assertThat(copy).as("seed %d", seed).isNull();
            return;
        }
        Object known = pairs.putIfAbsent(original, copy);
        Object knownBack = back.putIfAbsent(copy, original);
        if (known != null || knownBack != null) {
            assertThat(known).as("seed %d", seed).isSameAs(copy);
            assertThat(knownBack).as("seed %d", seed).isSameAs(original);
        } else if (original instanceof Object[] array) {
            for (int i = 0; i < array.length; i++) {
                assertSameShape(array[i], ((Object[]) copy)[i], pairs, back, seed);
            }
        } else {
            Node node = (Node) original;
            assertThat(((Node) copy).number).as("seed %d", seed).isEqualTo(node.number);
            assertSameShape(node.first, ((Node) copy).first, pairs, back, seed);
            assertSameShape(node.second, ((Node) copy).second, pairs, back, seed);
        }
    }

    @Test
    void readsRecordsThatAreDeep() {
        GroupWriter writer = writer();
        Node chain = null;
        for (int i = 0; i < 10_000; i++) {
            Node next = new Node(i);
            next.first = chain;
            chain = next;
            if (i % 1000 == 500) {
                writer.write(chain);
            }
        }
        writer.write(chain);
        List<Object> copies = read(writer.finish());
        Node node = (Node) copies.get(10);
        while (node.number != 9500) {
            node = (Node) node.first;
        }
        assertThat(node).isSameAs(copies.get(9));
    }

    @Test
    void limitsTheObjectsOfTheGroup() {
        GroupWriter writer = writer();
        for (int i = 0; i < 100; i++) {
            writer.write(new Node(i));
        }
        GroupReader reader = Heapspan.builder().maxObjects(50).build().groupReader(writer.finish());
        for (int i = 0; i < 50; i++) {
            assertThat(((Node) reader.next()).number).isEqualTo(i);
        }
        assertCategory(Category.LIMIT, reader::next);
        assertCategory(Category.USAGE, reader::next);
        assertCategory(Category.USAGE, reader::hasNext);
    }

    @ParameterizedTest
    @EnumSource
    void endsAfterARecordThatFails(IdentityScope scope) {
        GroupWriter writer = HEAPSPAN.groupWriter(scope);
        writer.write("first");
        writer.write(new GroupWriterTest.Box(new Unreadable()));
        writer.write("third");
        GroupReader reader = HEAPSPAN.groupReader(writer.finish());
        assertThat(reader.next()).isEqualTo("first");
        assertCategory(Category.HOOK, reader::next);
        assertCategory(Category.USAGE, reader::hasNext);
        assertThatThrownBy(reader::next).hasMessageContaining("record 1 of the group");
    }

    @ParameterizedTest
    @EnumSource
    void endsAtAFrameThatFails(IdentityScope scope) {
        GroupWriter writer = HEAPSPAN.groupWriter(scope);
        for (int i = 0; i < 100; i++) {
            writer.write(new byte[1 << 20]);
        }
        writer.write("last");
        byte[] group = writer.finish();
        group[100] ^= 1;
        GroupReader reader = HEAPSPAN.groupReader(group);
        assertCategory(Category.MALFORMED, reader::hasNext);
        assertCategory(Category.USAGE, reader::hasNext);
        assertCategory(Category.USAGE, reader::next);
    }

    @Test
    void isNotMistakenForAnObjectStream() throws Exception {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(stream)) {
            output.writeObject("text");
        }
        assertCategory(Category.LAYOUT, () -> HEAPSPAN.decode(stream.toByteArray(), Object.class));
        assertCategory(Category.LAYOUT, () -> HEAPSPAN.groupReader(stream.toByteArray()));
        for (IdentityScope scope : IdentityScope.values()) {
            GroupWriter writer = HEAPSPAN.groupWriter(scope);
            writer.write("text");
            byte[] group = writer.finish();
            assertThat(HEAPSPAN.decode(group, String.class)).isEqualTo("text");
            try (HeapspanObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(group))) {
                assertCategory(Category.LAYOUT, input::readObject);
            }
            group[6] |= 2 | 16;
            assertCategory(Category.MALFORMED, () -> HEAPSPAN.groupReader(group));
        }
    }

    private static void assertCategory(Category category, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(category));
    }

    @Test
    void allocatesNothingForARecord() {
        GroupWriter writer = writer();
        Node[] records = new Node[1000];
        Arrays.setAll(records, Node::new);
        for (int group = 0; group < 200; group++) {
            writeGroup(writer, records);
        }
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 3; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int group = 0; group < 100; group++) {
                writeGroup(writer, records);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat((double) least / (100 * records.length)).isLessThan(1.0);
    }

    private static void writeGroup(GroupWriter writer, Node[] records) {
        for (Node each : records) {
            writer.write(each);
        }
        writer.finishInPlace();
    }

    @Test
    void keepsNoRecordAliveBeyondItsGroup() throws InterruptedException {
        GroupWriter writer = writer();
        List<WeakReference<?>> records = new ArrayList<>();
        writeAndForget(writer, records);
        System.gc();
        assertThat(records).as("of the open group").allMatch(r -> r.get() != null);
        writer.finish();
        for (int attempt = 0; attempt < 50 && records.stream().anyMatch(r -> r.get() != null); attempt++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(records).allMatch(r -> r.get() == null);
        Reference.reachabilityFence(writer);
    }

    private static void writeAndForget(GroupWriter writer, List<WeakReference<?>> records) {
        for (int i = 0; i < 10_000; i++) {
            Node node = new Node(i);
            records.add(new WeakReference<>(node));
            writer.write(node);
        }
    }
}
