package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.Mode;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.memory.Access;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.junit.jupiter.api.Test;

/** Records of raw images whose objects the writer knows by their addresses, and those for which this turns out not to suit. */
final class RawAddressedWriterTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Node {
        int number;
        TimeUnit unit = TimeUnit.DAYS;
        Node next;
        Object other;
        Integer box;
    }

    private static Node chain(int length) {
        Node first = new Node();
        Node last = first;
        for (int i = 1; i < length; i++) {
            Node node = new Node();
            node.number = i;
            node.unit = TimeUnit.values()[i % 7];
            node.box = i % 3 == 0 ? null : i;
            node.other = i % 5 == 0 ? node.unit : i % 7 == 0 ? first : "other " + i;
            last.next = node;
            last = node;
        }
        return first;
    }

    private static void checkChain(Node first, int length) {
        int i = 0;
        for (Node node = first; node != null; node = node.next, i++) {
            assertThat(node.number).isEqualTo(i);
            if (i > 0) {
                assertThat(node.unit).isSameAs(TimeUnit.values()[i % 7]);
                assertThat(node.box).isEqualTo(i % 3 == 0 ? null : i);
                if (i % 5 == 0) {
                    assertThat(node.other).isSameAs(node.unit);
                } else if (i % 7 == 0) {
                    assertThat(node.other).isSameAs(first);
                } else {
                    assertThat(node.other).isEqualTo("other " + i);
                }
            }
        }
        assertThat(i).isEqualTo(length);
    }

    static final class Holder {
        Object first;
        Node second;
    }

    /** Writes a holder as if its first slot had changed and changed back while it was read: with the bits of the node, and an array. */
    private static final class HasChangedTwice extends RawForm {
        private final RawForm actual;

        HasChangedTwice(RawForm actual) {
            super(Kind.OBJECT, Holder.class, actual.fixedBytes);
            this.actual = actual;
        }

        @Override
        byte[] classBytes() {
            return actual.classBytes();
        }

        @Override
        long sizeBytes(Object holder) {
            return actual.sizeBytes(holder);
        }

        @Override
        boolean isLeaf(Object holder) {
            return false;
        }

        @Override
        void write(RawAddressedWriter writer, Object holder, int position) {
            RawLayout.OWN.putHeader(writer.objects(), position, classWord());
            Object[] nodes = {((Holder) holder).second};
            int bits = writer.bitsOf(writer.opaque(nodes), 0);
            int first = (int) Access.offsetOf(Holder.class, "first", Object.class);
            writer.writeElement(position + first, new long[] {1}, bits);
            int second = (int) Access.offsetOf(Holder.class, "second", Node.class);
            writer.writeElement(position + second, nodes[0], bits);
        }

        @Override
        void forEachReference(Object holder, Consumer<Object> visitor) {
            visitor.accept(((Holder) holder).second);
        }
    }

    /** The direct engine would take an image at its word that gave the second slot the array. */
    @Test
    void noSlotGetsAnObjectOfAnotherClass() {
        Codec codec = PolicyCodecRegistry.of(Mode.SERIAL, Map.of()).codecOf(Holder.class);
        RawForm actual = RawForms.of(codec, Holder.class);
        Holder holder = new Holder();
        holder.second = new Node();
        holder.second.number = 7;
        byte[] image;
        codec.rawForm = new HasChangedTwice(actual);
        try {
            image = HEAPSPAN.encode(holder, Encoding.RAW);
        } finally {
            codec.rawForm = actual;
        }
        // With such a limit it is left to the portable engine, which checks what it stores.
        Holder copy = Heapspan.builder().maxObjects(5).build().decodeTrusted(image, Holder.class);
        assertThat(copy.second.number).isEqualTo(7);
        assertThat((long[]) copy.first).containsExactly(1);
    }

    /** Deeper than the writer recurses, and with slots for constants before and behind those for objects. */
    @Test
    void deepRecordsArrive() {
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        for (int i = 1; i < 60; i++) {
            writer.write(chain(i * 29));
        }
        GroupReader reader = HEAPSPAN.trustedGroupReader(writer.finish());
        for (int i = 1; i < 60; i++) {
            checkChain((Node) reader.next(), i * 29);
        }
        assertThat(reader.hasNext()).isFalse();
    }

    private static Object record(int i) {
        List<Object> list = new ArrayList<>();
        Map<Object, Object> map = new HashMap<>();
        Object[] array = {
            list, TimeUnit.HOURS, map, "text " + i, TimeUnit.DAYS, list, i, map, String.class, new int[i % 50]
        };
        for (int j = 0; j < i % 13; j++) {
            list.add(j % 2 == 0 ? TimeUnit.values()[j % 7] : Arrays.asList(j, TimeUnit.DAYS, list, "x" + j));
            map.put(
                    "key " + j,
                    j % 3 == 0 ? TimeUnit.values()[j % 7] : j % 3 == 1 ? array : new TreeMap<>(Map.of(j, j)));
        }
        if (i % 11 == 0) {
            map.put("optional", Optional.of("side object " + i));
        }
        if (i % 97 == 0) {
            map.put("long", new long[20_000]);
            map.put("text", "t".repeat(70_000));
        }
        return array;
    }

    private static void checkRecord(int i, Object copy) {
        Object[] original = (Object[]) record(i);
        Object[] array = (Object[]) copy;
        assertThat(array).hasSameSizeAs(original);
        assertThat(array[5]).isSameAs(array[0]);
        assertThat(array[7]).isSameAs(array[2]);
        assertThat(array[1]).isSameAs(TimeUnit.HOURS);
        assertThat(array[3]).isEqualTo("text " + i);
        assertThat(array[6]).isEqualTo(i);
        assertThat(array[8]).isSameAs(String.class);
        assertThat((int[]) array[9]).hasSize(i % 50);
        List<?> list = (List<?>) array[0];
        Map<?, ?> map = (Map<?, ?>) array[2];
        Map<?, ?> expected = (Map<?, ?>) original[2];
        assertThat(list).hasSize(i % 13);
        assertThat(map.keySet()).isEqualTo(expected.keySet());
        for (int j = 0; j < i % 13; j++) {
            if (j % 2 == 0) {
                assertThat(list.get(j)).isSameAs(TimeUnit.values()[j % 7]);
            } else {
                List<?> inner = (List<?>) list.get(j);
                assertThat(inner.get(2)).isSameAs(list);
                assertThat(inner.get(3)).isEqualTo("x" + j);
            }
            Object value = map.get("key " + j);
            if (j % 3 == 1) {
                assertThat(value).isSameAs(array);
            } else {
                assertThat(value).isEqualTo(expected.get("key " + j));
            }
        }
        assertThat(map.get("optional")).isEqualTo(expected.get("optional"));
        assertThat(map.get("text")).isEqualTo(expected.get("text"));
    }

    /** Records that the quick way suits and others, small and large, in frames that stay in place and that do not. */
    @Test
    void groupsOfAllSizesArrive() {
        for (int count : new int[] {0, 1, 10, 500, 2000}) {
            GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
            GroupWriter other = HEAPSPAN.groupWriter(Encoding.RAW);
            for (int repeat = 0; repeat < 3; repeat++) {
                for (int i = 0; i < count; i++) {
                    Object record = record(i);
                    writer.write(record);
                    other.write(record);
                }
                ByteBuffer inPlace = other.finishInPlace();
                byte[] copied = new byte[inPlace.remaining()];
                inPlace.get(copied);
                // Not always the same bytes: a collection in between makes a record be written in the other way.
                for (byte[] group : List.of(writer.finish(), copied)) {
                    GroupReader reader = HEAPSPAN.trustedGroupReader(group);
                    for (int i = 0; i < count; i++) {
                        checkRecord(i, reader.next());
                    }
                    assertThat(reader.hasNext()).isFalse();
                }
            }
        }
    }

    /** The bytes of a chunk do not tell what lay there before. */
    @Test
    void nothingOfEarlierImagesIsLeft() {
        GroupWriter used = HEAPSPAN.groupWriter(Encoding.RAW);
        for (int i = 0; i < 300; i++) {
            used.write(new Object[] {"\u00ff".repeat(i), -1L - i, new byte[i], chain(3)});
        }
        byte[] noise = used.finish();
        assertThat(noise).isNotEmpty();
        for (int i = 0; i < 40; i++) {
            Object[] record = {"x".repeat(i), new byte[i], chain(i + 1), null, new ArrayList<>(List.of(i)), new char[i]
            };
            boolean same = false;
            for (int attempt = 0; attempt < 10 && !same; attempt++) {
                GroupWriter fresh = HEAPSPAN.groupWriter(Encoding.RAW);
                fresh.write(record);
                used.write(record);
                // A collection in between makes a record be written in the other way.
                same = Arrays.equals(used.finish(), fresh.finish());
            }
            assertThat(same).as("record %d", i).isTrue();
        }
    }
}
