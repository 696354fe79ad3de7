package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records that come in a row are read as each would be by itself. */
@Tag("once")
class RowReadingTest {
    private static final long SEED = 20_261_122;

    record Flat(
            boolean a,
            byte b,
            short c,
            char d,
            int e,
            long f,
            float g,
            double h,
            Integer i,
            Long j,
            Double k,
            boolean l)
            implements Serializable {}

    record Box(Integer value) implements Serializable {}

    record Loose(Object value, int number) implements Serializable {}

    record Empty() implements Serializable {}

    private final Random random = new Random(SEED);
    private final Heapspan heapspan = Heapspan.builder().checksum(false).build();

    private long number() {
        return random.nextLong() >> random.nextInt(64);
    }

    private Flat flat() {
        return new Flat(
                random.nextBoolean(),
                (byte) number(),
                (short) number(),
                (char) number(),
                (int) number(),
                number(),
                random.nextFloat(),
                random.nextDouble(),
                random.nextInt(8) == 0 ? null : (Integer) (int) number(),
                random.nextInt(8) == 0 ? null : (Long) number(),
                random.nextInt(8) == 0 ? null : (Double) random.nextDouble(),
                random.nextBoolean());
    }

    private Object record(int kinds) {
        return switch (random.nextInt(kinds)) {
            case 1 -> new Box(random.nextInt(4) == 0 ? null : random.nextInt());
            case 2 -> new Empty();
            case 3 -> new Loose(random.nextInt(), random.nextInt());
            case 4 -> "text";
            default -> flat();
        };
    }

    private byte[] group(List<?> records) {
        GroupWriter writer = heapspan.groupWriter();
        records.forEach(writer::write);
        return writer.finish();
    }

    private List<Object> oneByOne(byte[] group) {
        List<Object> all = new ArrayList<>();
        GroupReader reader = heapspan.groupReader(group);
        while (reader.hasNext()) {
            all.add(reader.next());
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void rowsOfAnyLength(int kinds) {
        for (int count : new int[] {1, 2, 3, 15, 16, 17, 1000, 20_000}) {
            List<Object> records = new ArrayList<>();
            while (records.size() < count) {
                Object record = record(kinds);
                int rowLength = 1 + random.nextInt(40);
                for (int i = 0; i < rowLength && records.size() < count; i++) {
                    records.add(record instanceof Flat ? flat() : record);
                }
            }
            byte[] group = group(records);
            assertThat(Arrays.asList(heapspan.groupReader(group).readAll())).isEqualTo(records);
            assertThat(oneByOne(group)).isEqualTo(records);
        }
    }

    @Test
    void damagedBytesGiveTheSameOneByOneAndInARow() {
        List<Object> records = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            records.add(i % 20 == 19 ? new Box(i) : flat());
        }
        byte[] group = group(records);
        int differences = 0;
        for (int round = 0; round < 8_000; round++) {
            byte[] damaged = group.clone();
            int end = random.nextInt(4) == 0 ? random.nextInt(group.length) : group.length;
            damaged[random.nextInt(group.length)] = (byte) random.nextInt();
            damaged = Arrays.copyOf(damaged, end);
            Object inARow = outcome(damaged, true);
            assertThat(inARow).as("round %d", round).isEqualTo(outcome(damaged, false));
            if (!inARow.equals(records)) {
                differences++;
            }
        }
        assertThat(differences).isBetween(4_000, 7_999);
    }

    /** The records, or why there are none. */
    private Object outcome(byte[] group, boolean inARow) {
        try {
            return inARow ? Arrays.asList(heapspan.groupReader(group).readAll()) : oneByOne(group);
        } catch (HeapspanException e) {
            return e.category() + ": " + e.getMessage();
        }
    }
}
