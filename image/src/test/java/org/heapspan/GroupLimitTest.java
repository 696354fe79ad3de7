package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.heapspan.HeapspanException.Category;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class GroupLimitTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final long MOST_BYTES = 4 << 20;

    private record Pair(int number, Object value) {}

    private record Point(long x, long y) {}

    private static List<GroupWriter> writers() {
        List<GroupWriter> writers = new ArrayList<>();
        writers.add(HEAPSPAN.groupWriter());
        writers.add(HEAPSPAN.groupWriter(IdentityScope.GROUP));
        if (VirtualMachine.current().memory() != null) {
            writers.add(HEAPSPAN.groupWriter(Encoding.RAW));
        }
        writers.forEach(writer -> writer.limitTo(MOST_BYTES));
        return writers;
    }

    private static List<Object> list(int numbers) {
        List<Object> list = new ArrayList<>();
        LongStream.range(0, numbers).map(i -> i * 1_000_003).forEach(list::add);
        return list;
    }

    /** Records of more than the limit: one array, many objects, and objects that raw groups hold beside their copies. */
    private static List<Object> tooLong() {
        TreeMap<Object, Object> map = new TreeMap<>();
        for (long i = 0; i < 600_000; i++) {
            map.put(i * 1_000_003, i * 1_000_003);
        }
        IdentityHashMap<Object, Object> identities = new IdentityHashMap<>();
        for (int i = 0; i < 100; i++) {
            identities.put(new int[20_000], new byte[20_000]);
        }
        return List.of(new long[1 << 20], list(800_000), map, identities, Collections.nCopies(3, new double[1 << 20]));
    }

    private static void writeAll(GroupWriter writer, List<Object> records) {
        records.forEach(writer::write);
    }

    @Test
    void recordThatWouldMakeTheGroupTooLongLeavesItAsItWas() {
        for (GroupWriter writer : writers()) {
            for (Object value : tooLong()) {
                for (int before : new int[] {0, 1, 5000}) {
                    List<Object> records = new ArrayList<>();
                    for (int i = 0; i < before; i++) {
                        records.add(new Pair(i, "record " + i));
                    }
                    writeAll(writer, records);
                    long sizeBytes = writer.sizeBytes();
                    assertThatThrownBy(() -> writer.write(new Pair(before, value)))
                            .isInstanceOfSatisfying(
                                    HeapspanException.class,
                                    e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                            .hasMessageContaining("longer than " + MOST_BYTES);
                    assertThat(writer.recordCount()).isEqualTo(before);
                    // What is before it may be a frame of its own now.
                    assertThat(writer.sizeBytes()).isBetween(sizeBytes, sizeBytes + 200);

                    Pair next = new Pair(before, list(100));
                    writer.write(next);
                    records.add(next);
                    GroupReader reader = HEAPSPAN.trustedGroupReader(writer.finish());
                    assertThat(reader.readAll()).isEqualTo(records.toArray());
                }
            }
        }
    }

    @Test
    void groupThatIsFullTakesNoMoreAndIsWhole() {
        for (GroupWriter writer : writers()) {
            List<Object> records = new ArrayList<>();
            assertThatThrownBy(() -> {
                        while (records.size() < 1_000_000) {
                            Pair record = new Pair(records.size(), 1e9 / records.size());
                            writer.write(record);
                            records.add(record);
                        }
                    })
                    .isInstanceOf(HeapspanException.class);
            assertThat(writer.recordCount()).isEqualTo(records.size());
            byte[] group = writer.finish();
            assertThat((long) group.length).isBetween(MOST_BYTES * 3 / 4, MOST_BYTES + (1 << 20));
            assertThat(HEAPSPAN.trustedGroupReader(group).readAll()).isEqualTo(records.toArray());
        }
    }

    /** Rows of numbers go in without a look at each. */
    @Test
    void groupThatIsFullTakesNoRowsEither() {
        for (GroupWriter writer : writers()) {
            assertThatThrownBy(() -> {
                        while (writer.recordCount() < 1_000_000) {
                            writer.writeAll(row(1000));
                        }
                    })
                    .isInstanceOf(HeapspanException.class);
            int count = writer.recordCount();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 10; i++) {
                            writer.writeAll(row(10_000));
                        }
                    })
                    .isInstanceOf(HeapspanException.class);
            assertThat(writer.recordCount()).isLessThan(count + 20_000);
            assertThat((long) writer.finish().length).isBetween(MOST_BYTES * 3 / 4, MOST_BYTES + (1 << 20));
        }
    }

    /** A writer that has grown for an earlier group respects the limit of the next. */
    @Test
    void aLowerLimitHoldsForAGrownWriter() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        writer.writeAll(row(2_000_000));
        writer.finish();
        writer.limitTo(MOST_BYTES);
        assertThatThrownBy(() -> writer.writeAll(row(2_000_000))).isInstanceOf(HeapspanException.class);
        assertThat((long) writer.finish().length).isBetween(MOST_BYTES * 3 / 4, MOST_BYTES + (1 << 20));
    }

    /** Long groups are collected in frames, and each frame's buffer might hold what is left of the limit and more. */
    @Test
    void rowsAreLimitedInGroupsOfSeveralFrames() {
        long mostBytes = 150 << 20;
        GroupWriter writer = HEAPSPAN.groupWriter();
        writer.limitTo(mostBytes);
        Object[] row = row(1_000_000);
        assertThatThrownBy(() -> {
                    while (writer.recordCount() < 100_000_000) {
                        writer.writeAll(row);
                    }
                })
                .isInstanceOf(HeapspanException.class);
        assertThat(writer.sizeBytes()).isBetween(mostBytes - (1 << 20), mostBytes + (1 << 20));
    }

    private static Object[] row(int length) {
        return LongStream.range(0, length).mapToObj(i -> new Point(i, -i)).toArray();
    }

    @Test
    void arrayIsRefusedBeforeItIsCopied() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        // The first writers pay for what they all need; the arrays that others have grown say nothing.
        writers()
                .forEach(writer -> assertThatThrownBy(() -> writer.write(new Pair(1, new long[8 << 20])))
                        .isInstanceOf(HeapspanException.class));
        for (GroupWriter writer : writers()) {
            Pair record = new Pair(1, new long[8 << 20]);
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThatThrownBy(() -> writer.write(record)).isInstanceOf(HeapspanException.class);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 20);
        }
    }

    @Test
    void limitIsOfWholeGroups() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        writer.write("record");
        assertThatThrownBy(() -> writer.limitTo(MOST_BYTES))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.USAGE));
        assertThat(HEAPSPAN.trustedGroupReader(writer.finish()).readAll()).containsExactly("record");
    }
}
