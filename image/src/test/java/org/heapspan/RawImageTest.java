package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.channels.Channels;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;

/** Graphs in the raw encoding arrive as they were, whatever they consist of. */
final class RawImageTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    @SuppressWarnings("unchecked")
    private static <T> T sent(T root) {
        byte[] image = HEAPSPAN.encode(root, Encoding.RAW);
        assertThat(image[5]).as("encoding").isEqualTo((byte) 2);
        return (T) HEAPSPAN.decodeTrusted(image, Object.class);
    }

    /** All kinds of fields, over two levels, none of them Serializable. */
    static class Base {
        boolean flag = true;
        byte small = -3;
        Object any;
    }

    static final class Mixed extends Base {
        short half = -300;
        char letter = '\u4e2d';
        int number = 1 << 30;
        long large = Long.MIN_VALUE;
        float real = 1.5f;
        double precise = -0.0;
        String text = "text";
        transient int forgotten = 7;
        Mixed next;
        int[] ints = {1, 2, 3};
        Mixed[] others;
    }

    @Test
    void fieldsOfAllKindsArrive() {
        Mixed original = new Mixed();
        original.any = original;
        original.next = new Mixed();
        original.next.text = "\u4e2d\u6587";
        original.others = new Mixed[] {original, null, original.next};

        Mixed copy = sent(original);

        assertThat(copy).isNotSameAs(original);
        assertThat(copy.flag).isTrue();
        assertThat(copy.small).isEqualTo((byte) -3);
        assertThat(copy.any).isSameAs(copy);
        assertThat(copy.half).isEqualTo((short) -300);
        assertThat(copy.letter).isEqualTo('\u4e2d');
        assertThat(copy.number).isEqualTo(1 << 30);
        assertThat(copy.large).isEqualTo(Long.MIN_VALUE);
        assertThat(copy.real).isEqualTo(1.5f);
        assertThat(Double.doubleToRawLongBits(copy.precise)).isEqualTo(Double.doubleToRawLongBits(-0.0));
        assertThat(copy.text).isEqualTo("text");
        assertThat(copy.forgotten).isZero();
        assertThat(copy.next.text).isEqualTo("\u4e2d\u6587");
        assertThat(copy.ints).containsExactly(1, 2, 3);
        assertThat(copy.others).containsExactly(copy, null, copy.next);
    }

    @Test
    void transientFieldsStayInModeClone() {
        Heapspan clone = Heapspan.builder().mode(Mode.CLONE).build();
        Mixed copy = clone.decodeTrusted(clone.encode(new Mixed(), Encoding.RAW), Mixed.class);
        assertThat(copy.forgotten).isEqualTo(7);
    }

    @Test
    void valuesOfTheJdkArriveEqual() {
        List<Object> values = new ArrayList<>(Arrays.asList(
                1,
                1000,
                2L,
                3000L,
                'a',
                '\u4e2d',
                true,
                (byte) 1,
                (short) 2,
                (short) 2000,
                1.5f,
                2.5,
                null,
                BigInteger.TWO.pow(200),
                new BigDecimal("12.50"),
                new UUID(1, 2),
                LocalDateTime.of(2020, 1, 2, 3, 4, 5, 6),
                Instant.ofEpochSecond(5, 6),
                Duration.ofMillis(7),
                "",
                Optional.of("x"),
                Optional.empty()));
        assertThat(sent(values)).isEqualTo(values);
        assertThat(sent(new AtomicInteger(5)).get()).isEqualTo(5);
        assertThat(sent(new AtomicReference<>("x")).get()).isEqualTo("x");
    }

    @Test
    void rootsOfEachKindArrive() {
        assertThat(sent((Object) null)).isNull();
        assertThat(sent(TimeUnit.DAYS)).isSameAs(TimeUnit.DAYS);
        assertThat(sent("text")).isEqualTo("text");
        assertThat(sent(5)).isEqualTo(5);
        assertThat(sent(5000)).isEqualTo(5000);
        assertThat(sent(new HashMap<>(Map.of("a", 1)))).isEqualTo(Map.of("a", 1));
        assertThat(sent(new int[0])).isEmpty();
        assertThat(sent(List.of(1, 2))).isEqualTo(List.of(1, 2));
    }

    @Test
    @SuppressWarnings("ReferenceEquality")
    void whatTheReaderHasAlreadyIsTheSame() {
        Object[] copy = sent(new Object[] {
            TimeUnit.DAYS,
            String.class,
            StandardCharsets.UTF_8,
            Collections.emptyList(),
            true,
            100,
            (Long) 100L,
            'c',
            int.class
        });
        assertThat(copy[0]).isSameAs(TimeUnit.DAYS);
        assertThat(copy[1]).isSameAs(String.class);
        assertThat(copy[2]).isSameAs(Charset.forName("UTF-8"));
        assertThat(copy[3]).isSameAs(Collections.emptyList());
        assertThat(copy[4]).isSameAs((Object) true);
        assertThat(copy[5]).isSameAs((Integer) 100);
        assertThat(copy[6]).isSameAs((Long) 100L);
        assertThat(copy[7]).isSameAs((Character) 'c');
        assertThat(copy[8]).isSameAs(int.class);
    }

    @Test
    void arraysOfAllKindsArrive() {
        assertThat(sent(new boolean[] {true, false})).containsExactly(true, false);
        assertThat(sent(new byte[] {1, 2, 3})).containsExactly(1, 2, 3);
        assertThat(sent(new short[] {-1})).containsExactly((short) -1);
        assertThat(sent(new char[] {'x', '\uffff'})).containsExactly('x', '\uffff');
        assertThat(sent(new float[] {1.5f})).containsExactly(1.5f);
        assertThat(sent(new double[] {1.5})).containsExactly(1.5);
        assertThat(sent(new String[][] {{"a"}, null, {}})).isDeepEqualTo(new String[][] {{"a"}, null, {}});
        assertThat(sent(new long[0][0])).isEmpty();
    }

    // ---------------------------------------------------------------- size

    @Test
    void largeArraysSpanChunks() {
        long[] longs = new long[200_000];
        Arrays.setAll(longs, i -> i * 31L);
        boolean[] flags = new boolean[1_000_003];
        flags[999_999] = true;
        String wide = "\u4e2d".repeat(300_000);
        Object[] copy = sent(new Object[] {"before", longs, flags, wide, "after", longs});
        assertThat((long[]) copy[1]).isEqualTo(longs);
        assertThat((boolean[]) copy[2]).isEqualTo(flags);
        assertThat(copy[3]).isEqualTo(wide);
        assertThat(copy[4]).isEqualTo("after");
        assertThat(copy[5]).isSameAs(copy[1]);
    }

    @Test
    void largeArrayOfReferencesMayLeadAnywhere() {
        Object[] original = new Object[300_000];
        for (int i = 0; i < original.length; i++) {
            original[i] = i % 5 == 0 ? TimeUnit.values()[i % 7] : i % 7 == 0 ? original : i % 3 == 0 ? null : "s" + i;
        }
        original[1] = new HashMap<>(Map.of("k", original[2]));
        Object[] copy = sent(original);
        for (int i = 2; i < original.length; i++) {
            if (original[i] == original) {
                assertThat(copy[i]).isSameAs(copy);
            } else if (!Objects.equals(original[i], copy[i])) {
                assertThat(copy[i]).as("element %d", i).isEqualTo(original[i]);
            }
        }
        assertThat(((Map<?, ?>) copy[1]).get("k")).isSameAs(copy[2]);
    }

    static final class Node {
        int number;
        Node next;
        Node previous;
    }

    private static Node list(int length) {
        Node first = new Node();
        Node last = first;
        for (int i = 1; i < length; i++) {
            Node node = new Node();
            node.number = i;
            node.previous = last;
            last.next = node;
            last = node;
        }
        return first;
    }

    private static void checkList(Node first, int length) {
        int count = 0;
        Node previous = null;
        for (Node node = first; node != null; node = node.next) {
            if (node.number != count || node.previous != previous) {
                throw new AssertionError("node " + count);
            }
            previous = node;
            count++;
        }
        assertThat(count).isEqualTo(length);
    }

    @Test
    void listOfAMillionNodesArrives() {
        checkList(sent(list(1_000_000)), 1_000_000);
    }

    @Test
    void streamsAndChannelsDeliverTheSame() throws Exception {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(list(100_000), Encoding.RAW, stream);
        stream.write(77);
        ByteArrayInputStream input = new ByteArrayInputStream(stream.toByteArray());
        checkList(HEAPSPAN.decodeTrustedFrom(input, Node.class), 100_000);
        assertThat(input.read()).isEqualTo(77);

        ByteArrayOutputStream channel = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(list(100_000), Encoding.RAW, Channels.newChannel(channel));
        checkList(
                HEAPSPAN.decodeTrustedFrom(
                        Channels.newChannel(new ByteArrayInputStream(channel.toByteArray())), Node.class),
                100_000);
    }

    @Test
    void oneGiantMapArrives() {
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            map.put(i, "value " + i);
        }
        Object[] copy = sent(new Object[] {map, map});
        assertThat(copy[0]).isEqualTo(map).isSameAs(copy[1]);
    }

    // ---------------------------------------------------------------- copies and side objects

    static final class Holder {
        Object first;
        Object second;
        Object third;
    }

    @Test
    void sharingHoldsBetweenCopiesAndSideObjects() {
        Holder original = new Holder();
        Holder shared = new Holder();
        shared.first = original;
        Map<String, Object> map = new TreeMap<>();
        map.put("holder", shared);
        map.put("root", original);
        map.put("self", map);
        List<Object> inner = new ArrayList<>();
        map.put("inner", inner);
        original.first = map;
        original.second = shared;
        original.third = new HashSet<>(List.of("x"));
        inner.add(original.third);

        Holder copy = sent(original);

        Map<?, ?> copiedMap = (Map<?, ?>) copy.first;
        assertThat(copiedMap.get("holder")).isSameAs(copy.second);
        assertThat(copiedMap.get("root")).isSameAs(copy);
        assertThat(copiedMap.get("self")).isSameAs(copiedMap);
        assertThat(((Holder) copy.second).first).isSameAs(copy);
        assertThat(((List<?>) copiedMap.get("inner")).get(0)).isSameAs(copy.third);
        Set<?> set = (Set<?>) copy.third;
        assertThat(set.remove("x")).isTrue();
    }

    /** A key whose hash code leads through a side object. */
    record Key(List<Object> parts, Holder more) implements Serializable {}

    @Test
    @SuppressWarnings("JdkObsolete") // It asks for hash codes while it is read.
    void keysAreCompleteWhenSomethingAsksForTheirHashCodes() {
        Holder more = new Holder();
        Key key = new Key(List.of("a", 1), null);
        Holder root = new Holder();
        // Hashtable puts its keys in its readObject; the key is a copy, its list is a side object met after the table.
        root.first = new Hashtable<>(Map.of(key, "value"));
        root.second = key;
        root.third = Set.of(key);
        more.first = key;

        Holder copy = sent(root);

        assertThat(((Map<?, ?>) copy.first).get(copy.second)).isEqualTo("value");
        assertThat(((Map<?, ?>) copy.first).keySet().iterator().next()).isSameAs(copy.second);
        assertThat(((Set<?>) copy.third).contains(copy.second)).isTrue();
        assertThat(copy.second).isEqualTo(key);
    }

    /** Looks, while it is read, at what it refers to. */
    static final class Watcher implements Serializable {
        private static final long serialVersionUID = 1L;

        Object watched;
        transient int seen;

        Watcher(Object watched) {
            this.watched = watched;
        }

        private void readObject(java.io.ObjectInputStream in) throws Exception {
            in.defaultReadObject();
            seen = watched.hashCode();
        }
    }

    @Test
    @SuppressWarnings("JdkObsolete") // It asks for hash codes while it is read.
    void whatHooksSeeIsComplete() {
        // Each key leads to a list that is met later than the watcher that asks for the key's hash code.
        Key[] keys = new Key[20];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = new Key(i == 0 ? List.of("end") : List.of(i, keys[i - 1]), null);
        }
        Object[] original = new Object[41];
        for (int i = 0; i < 20; i++) {
            original[i] = new Watcher(keys[19 - i]);
            original[20 + i] = keys[i];
        }
        original[40] = new Hashtable<>(Map.of(keys[7], keys[3]));

        Object[] copy = sent(original);

        for (int i = 0; i < 20; i++) {
            assertThat(((Watcher) copy[i]).watched).isSameAs(copy[39 - i]);
            assertThat(((Watcher) copy[i]).seen).isEqualTo(keys[19 - i].hashCode());
        }
        assertThat(((Map<?, ?>) copy[40]).get(keys[7])).isSameAs(copy[23]);
    }

    @Test
    void lambdasAndProxiesArrive() {
        Supplier<String> lambda = (Supplier<String> & Serializable) () -> "called";
        Holder holder = new Holder();
        holder.first = lambda;
        holder.second = lambda;
        Holder copy = sent(holder);
        assertThat(((Supplier<?>) copy.first).get()).isEqualTo("called");
        assertThat(copy.second).isSameAs(copy.first);
    }

    // ---------------------------------------------------------------- groups

    @Test
    void recordsOfAGroupShareNothing() {
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        Holder record = new Holder();
        Map<String, Object> map = new HashMap<>();
        record.first = map;
        record.second = "shared";
        for (int i = 0; i < 3000; i++) {
            map.put("number", i);
            map.put("record", record);
            record.third = i % 100 == 0 ? new int[100_000] : List.of(i);
            writer.write(record);
        }
        writer.write(null);
        writer.write("last");
        byte[] group = writer.finish();

        GroupReader reader = HEAPSPAN.trustedGroupReader(group);
        Holder before = null;
        for (int i = 0; i < 3000; i++) {
            Holder copy = (Holder) reader.next();
            Map<?, ?> copiedMap = (Map<?, ?>) copy.first;
            assertThat(copiedMap.get("number")).isEqualTo(i);
            assertThat(copiedMap.get("record")).isSameAs(copy);
            assertThat(copy.second).isEqualTo("shared");
            if (i % 100 == 0) {
                assertThat((int[]) copy.third).hasSize(100_000);
            } else {
                assertThat(copy.third).isEqualTo(List.of(i));
            }
            assertThat(copy).isNotSameAs(before);
            before = copy;
        }
        assertThat(reader.next()).isNull();
        assertThat(reader.next()).isEqualTo("last");
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void recordThatCannotBeWrittenLeavesNoTrace() {
        Holder bad = new Holder();
        bad.first = list(50_000);
        bad.second = new HashMap<>(Map.of("t", Thread.currentThread()));
        Holder small = new Holder();
        small.first = TimeUnit.HOURS;
        small.second = new UUID(1, 2);
        small.third = new HashMap<>(Map.of("t", Thread.currentThread()));
        GroupWriter clean = HEAPSPAN.groupWriter(Encoding.RAW);
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        for (int i = 0; i < 10; i++) {
            Object record = i % 3 == 0 ? list(4000 * i + 1) : "record " + i;
            clean.write(record);
            assertThatThrownBy(() -> writer.write(bad)).isInstanceOf(HeapspanException.class);
            writer.write(record);
            assertThatThrownBy(() -> writer.write(small)).isInstanceOf(HeapspanException.class);
            assertThat(writer.recordCount()).isEqualTo(i + 1);
        }
        byte[] group = writer.finish();
        GroupReader reader = HEAPSPAN.trustedGroupReader(group);
        for (int i = 0; i < 10; i++) {
            if (i % 3 == 0) {
                checkList((Node) reader.next(), 4000 * i + 1);
            } else {
                assertThat(reader.next()).isEqualTo("record " + i);
            }
        }
        assertThat(reader.hasNext()).isFalse();
        assertThat(clean.finish()).isNotEmpty();
    }

    @Test
    void emptyGroupHasNoRecords() {
        GroupReader reader =
                HEAPSPAN.trustedGroupReader(HEAPSPAN.groupWriter(Encoding.RAW).finish());
        assertThat(reader.hasNext()).isFalse();
    }

    // ---------------------------------------------------------------- trust, updates

    @Test
    void decodeRefusesRawAndNamesWhatTakesIt() {
        byte[] image = HEAPSPAN.encode("text", Encoding.RAW);
        assertThatThrownBy(() -> HEAPSPAN.decode(image, String.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LAYOUT))
                .hasMessageContaining("decodeTrusted");
    }

    @Test
    void decodeTrustedTakesCompactOfAnyClass() {
        assertThat(HEAPSPAN.decodeTrusted(HEAPSPAN.encode(list(3)), Node.class).next.number)
                .isEqualTo(1);
    }

    @Test
    void limitsHold() {
        byte[] image = HEAPSPAN.encode(new Object[] {new int[1000], list(100)}, Encoding.RAW);
        Heapspan few = Heapspan.builder().maxObjects(50).build();
        Heapspan narrow = Heapspan.builder().maxArrayLength(999).build();
        Heapspan small = Heapspan.builder().maxBytes(1000).build();
        for (Heapspan limited : List.of(few, narrow, small)) {
            assertThatThrownBy(() -> limited.decodeTrusted(image, Object.class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
        }
    }

    @Test
    void updatesRunOnceTheGraphIsComplete() throws Exception {
        Heapspan updating = Heapspan.builder()
                .registerUpdate(
                        Node.class.getDeclaredField("number"),
                        (node, sent) -> ((Node) node).next == null ? -1 : (Integer) sent + 1000)
                .build();
        Node copy = updating.decodeTrusted(updating.encode(list(3), Encoding.RAW), Node.class);
        assertThat(copy.number).isEqualTo(1000);
        assertThat(copy.next.next.number).isEqualTo(-1);
    }
}
