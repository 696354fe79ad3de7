package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class BodyWriterTest {
    private static final int TYPES = 4;

    private static final Heapspan HEAPSPAN = Heapspan.builder()
            .typeRegistry(
                    TypeRegistry.of(Mode.SERIAL, Numbers.class, Node.class, Boxes.class, Named.class, Further.class))
            .build();

    private final BodyWriter writer = HEAPSPAN.bodyWriter(TYPES);
    private final BodyReader reader = HEAPSPAN.trustedBodyReader(TYPES);

    record Numbers(int sensor, long time, double value) implements Serializable {}

    record Boxes(@Nullable Integer first, @Nullable Long second, boolean third) implements Serializable {}

    record Named(String name, LocalDate date) implements Serializable {}

    /** In the registry, and not among the types that the reader has. */
    record Further(int number) implements Serializable {}

    /** Not in the registry. */
    record Other(int number, String name) implements Serializable {}

    static final class Node implements Serializable {
        int value;
        String name = "";

        @Nullable
        Object next;

        Node(int value) {
            this.value = value;
        }
    }

    /** Counts how often it is written, and cannot be if its content cannot. */
    static final class Hooked implements Serializable {
        static int written;
        Object content;

        Hooked(Object content) {
            this.content = content;
        }

        private void writeObject(ObjectOutputStream output) throws java.io.IOException {
            written++;
            if (content instanceof String) {
                throw new NotSerializableException("no strings");
            }
            output.defaultWriteObject();
        }
    }

    private @Nullable Object passed(@Nullable Object record) {
        if (!writer.write(record)) {
            return HEAPSPAN.decodeTrustedFrom(writer.image(), Object.class);
        }
        return reader.read(writer.array(), writer.offset(), writer.length(), writer.hasBackReferences());
    }

    private byte[] body(Object record) {
        assertThat(writer.write(record)).isTrue();
        return Arrays.copyOfRange(writer.array(), writer.offset(), writer.offset() + writer.length());
    }

    @Test
    void recordsOfAnyKindComeBackInAnyOrder() {
        Object[] records = {
            new Numbers(1, 2, 3.5),
            new Numbers(-1, Long.MIN_VALUE, Double.NaN),
            new Boxes(7, null, true),
            new Boxes(null, 1L << 40, false),
            new Named("a", LocalDate.of(2026, 1, 2)),
            null,
            "text",
            List.of(1L, "two"),
            new Other(1, "x"),
            new Numbers(4, 5, 6)
        };
        Random random = new Random(5);
        for (int round = 0; round < 2000; round++) {
            Object record = records[random.nextInt(records.length)];
            assertThat(passed(record)).as("seed 5, round %d", round).isEqualTo(record);
        }
    }

    @Test
    void onlyTypesWithTheFirstNumbersInTheirOrderGoWithoutDescription() {
        assertThat(writer.write(new Numbers(1, 2, 3))).isTrue();
        assertThat(writer.write("text")).isTrue();
        // Number 1, of which it would be 0.
        assertThat(writer.write(new Node(1))).isFalse();
        assertThat(writer.write(new Object[] {new Numbers(1, 2, 3), new Node(1), new Boxes(1, 2L, true)}))
                .isTrue();
        assertThat(writer.write(new Object[] {new Numbers(1, 2, 3), new Boxes(1, 2L, true), new Node(1)}))
                .isFalse();
        assertThat(writer.write(new Other(1, "x"))).isFalse();
        // Beyond those that the reader has, though it has a number.
        Object[] all = {
            new Numbers(1, 2, 3), new Node(1), new Boxes(1, 2L, true), new Named("a", LocalDate.EPOCH), new Further(1)
        };
        assertThat(writer.write(all)).isFalse();
        assertThat((Object[]) HEAPSPAN.decodeTrustedFrom(writer.image(), Object.class))
                .hasSize(5)
                .endsWith(all[4]);
    }

    @Test
    void equalRecordsHaveEqualBodiesWhateverCameBefore() {
        byte[] expected = body(new Numbers(1, 2, 3));
        assertThat(body(new Numbers(1, 2, 3))).isEqualTo(expected);
        assertThat(writer.write(new Node(9))).isFalse();
        assertThat(body(new Numbers(1, 2, 3))).isEqualTo(expected);
        writer.release();
        assertThat(body(new Numbers(1, 2, 3))).isEqualTo(expected);
        assertThat(expected).hasSizeLessThan(20);
    }

    @Test
    void graphsKeepTheirShape() {
        Heapspan nodes = Heapspan.builder()
                .typeRegistry(TypeRegistry.of(Mode.SERIAL, Node.class))
                .build();
        BodyWriter ofNodes = nodes.bodyWriter(1);
        BodyReader reads = nodes.trustedBodyReader(1);
        Node first = new Node(1);
        Node second = new Node(2);
        first.next = second;
        second.next = first;
        for (int round = 0; round < 3; round++) {
            assertThat(ofNodes.write(first)).isTrue();
            assertThat(ofNodes.hasBackReferences()).isTrue();
            Node copy = (Node) Objects.requireNonNull(
                    reads.read(ofNodes.array(), ofNodes.offset(), ofNodes.length(), ofNodes.hasBackReferences()));
            assertThat(((Node) Objects.requireNonNull(copy.next)).next).isSameAs(copy);

            assertThat(ofNodes.write(new Node(3))).isTrue();
            assertThat(ofNodes.hasBackReferences()).isFalse();
            copy = (Node)
                    Objects.requireNonNull(reads.read(ofNodes.array(), ofNodes.offset(), ofNodes.length(), false));
            assertThat(copy.value).isEqualTo(3);
        }
        Node deep = new Node(0);
        for (int depth = 1; depth < 50_000; depth++) {
            Node outer = new Node(depth);
            outer.next = deep;
            deep = outer;
        }
        assertThat(ofNodes.write(deep)).isTrue();
        Node copy = (Node) reads.read(ofNodes.array(), ofNodes.offset(), ofNodes.length(), ofNodes.hasBackReferences());
        int depth = 0;
        for (Node node = copy; node != null; node = (Node) node.next) {
            depth++;
        }
        assertThat(depth).isEqualTo(50_000);
    }

    @Test
    void equalRecordsHaveEqualBodiesIfObjectsAreRepeated() {
        Heapspan nodes = Heapspan.builder()
                .typeRegistry(TypeRegistry.of(Mode.SERIAL, Node.class))
                .build();
        BodyWriter ofNodes = nodes.bodyWriter(1);
        Node shares = new Node(1);
        shares.name = "x";
        shares.next = shares.name;
        Node hasTwo = new Node(1);
        hasTwo.name = "x";
        hasTwo.next = String.valueOf(new char[] {'x'});
        assertThat(ofNodes.write(hasTwo)).isTrue();
        byte[] expected = Arrays.copyOfRange(ofNodes.array(), ofNodes.offset(), ofNodes.offset() + ofNodes.length());
        for (int round = 0; round < 3; round++) {
            assertThat(ofNodes.writeRepeating(shares)).isTrue();
            assertThat(ofNodes.hasBackReferences()).isFalse();
            assertThat(Arrays.copyOfRange(ofNodes.array(), ofNodes.offset(), ofNodes.offset() + ofNodes.length()))
                    .isEqualTo(expected);
            assertThat(ofNodes.write(shares)).isTrue();
            assertThat(ofNodes.hasBackReferences()).isTrue();
        }
    }

    @Test
    void largeRecordsPassAndTheirMemoryIsReleased() {
        long[] numbers = new Random(1).longs(1 << 20).toArray();
        assertThat(passed(numbers)).isEqualTo(numbers);
        // Several frames.
        long[] many = new long[9 << 20];
        Arrays.setAll(many, i -> i * 0x9E3779B97F4A7C15L);
        assertThat(writer.write(new Object[] {many, new long[1 << 17]})).isFalse();
        Object[] copy = (Object[]) Objects.requireNonNull(HEAPSPAN.decodeTrustedFrom(writer.image(), Object.class));
        assertThat(Arrays.equals((long[]) copy[0], many)).isTrue();
        writer.release();
        reader.release();
        assertThat(writer.array().length).isLessThan(1 << 20);
        assertThat(passed(new Numbers(1, 2, 3))).isEqualTo(new Numbers(1, 2, 3));
    }

    @Test
    void aRecordThatCannotBeWrittenLeavesNothing() {
        assertThat(passed(new Numbers(1, 2, 3))).isEqualTo(new Numbers(1, 2, 3));
        assertThatThrownBy(() -> writer.write(new Object[] {"a", Thread.currentThread()}))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("[1]");
        assertThatThrownBy(() -> writer.write(new Hooked("text"))).isInstanceOf(HeapspanException.class);
        assertThat(passed(new Numbers(4, 5, 6))).isEqualTo(new Numbers(4, 5, 6));
    }

    @Test
    void anObjectIsWrittenOnceEvenIfItsTypesMustBeDescribed() {
        Hooked.written = 0;
        Hooked copy = (Hooked) Objects.requireNonNull(passed(new Hooked(new ArrayList<>(List.of(1)))));
        assertThat(copy.content).isEqualTo(List.of(1));
        assertThat(Hooked.written).isEqualTo(1);
    }

    @Test
    void damagedBodiesAreRefusedOrRead() {
        Object[] records = {
            new Numbers(1, 2, 3),
            new Object[] {new Numbers(1, 2, 3), new Node(1), new Boxes(1, 2L, true), "text", UUID.randomUUID()}
        };
        Random random = new Random(6);
        for (int round = 0; round < 4000; round++) {
            byte[] body = body(records[round % 2]);
            boolean backReferences = random.nextBoolean();
            byte[] damaged = round % 5 == 0 ? Arrays.copyOf(body, random.nextInt(body.length)) : body.clone();
            if (damaged.length > 0) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                reader.read(damaged, 0, damaged.length, backReferences);
            } catch (HeapspanException expected) {
                assertThat(expected.getMessage()).as("seed 6, round %d", round).isNotEmpty();
            }
            assertThat(passed(new Numbers(round, 5, 6))).isEqualTo(new Numbers(round, 5, 6));
        }
    }

    @Test
    void bytesOutsideOfTheArrayAreNeverRead() {
        byte[] body = body(new Numbers(1, 2, 3));
        assertThat(reader.read(body, 0, body.length, false)).isEqualTo(new Numbers(1, 2, 3));
        assertThatThrownBy(() -> reader.read(body, 1, body.length, false))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> reader.read(body, -1, 2, false)).isInstanceOf(IndexOutOfBoundsException.class);
        byte[] longer = Arrays.copyOf(body, body.length + 1);
        assertThatThrownBy(() -> reader.read(longer, 0, longer.length, false))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("bytes follow");
        // The number of elements is believed only as far as there are bytes.
        byte[] array = body(new long[] {1, 2, 3});
        byte[] claiming = Arrays.copyOf(array, 64);
        assertThatThrownBy(() -> reader.read(claiming, 0, array.length - 1, false))
                .isInstanceOf(HeapspanException.class);
    }

    @Test
    void withoutRegistryThereAreNoBodies() {
        for (HeapspanException refused : List.of(
                refusal(() -> Heapspan.create().bodyWriter(1)),
                refusal(() -> Heapspan.create().trustedBodyReader(1)))) {
            assertThat(refused.category()).isEqualTo(Category.USAGE);
            assertThat(refused).hasMessageContaining("typeRegistry");
        }
    }

    private static HeapspanException refusal(Runnable action) {
        try {
            action.run();
        } catch (HeapspanException e) {
            return e;
        }
        throw new AssertionError("not refused");
    }

    @Test
    void bodiesAreCounted() {
        long written = compact(Heapspan.statistics().encoded());
        long read = compact(Heapspan.statistics().decoded());
        for (int i = 0; i < 10; i++) {
            passed(new Numbers(i, 2, 3));
        }
        assertThat(compact(Heapspan.statistics().encoded())).isEqualTo(written + 10);
        assertThat(compact(Heapspan.statistics().decoded())).isEqualTo(read + 10);
    }

    private static long compact(java.util.Map<Encoding, EngineStatistics.Traffic> traffic) {
        return Objects.requireNonNull(traffic.get(Encoding.COMPACT)).images();
    }
}
