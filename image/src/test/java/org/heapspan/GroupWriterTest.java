package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class GroupWriterTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    record Point(int x, double y) implements Serializable {}

    enum Player {
        JAVA,
        FLASH
    }

    static final class Media implements Serializable {
        String uri = "http://javaone.com/keynote.mpg";
        String title;
        int width = 640;
        long size = 58_982_400;
        boolean hasBitrate = true;
        List<String> persons = new ArrayList<>(List.of("Bill Gates", "Steve Jobs"));
        Player player = Player.JAVA;
        List<Image> images = new ArrayList<>();
        String copyright;
    }

    static final class Image implements Serializable {
        String uri;
        int height;
        Player player = Player.FLASH;
    }

    static final class Box implements Serializable {
        Object content;

        Box(Object content) {
            this.content = content;
        }
    }

    private static Media media() {
        Media media = new Media();
        for (int i = 0; i < 2; i++) {
            Image image = new Image();
            image.uri = "image " + i;
            image.height = i * 100;
            media.images.add(image);
        }
        return media;
    }

    private static List<Object> read(byte[] group) {
        List<Object> records = new ArrayList<>();
        GroupReader reader = HEAPSPAN.groupReader(group);
        while (reader.hasNext()) {
            records.add(reader.next());
        }
        assertThatThrownBy(reader::next).isInstanceOf(NoSuchElementException.class);
        assertThat(reader.hasNext()).isFalse();
        return records;
    }

    @Test
    void readsRecordsInTheirOrder() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        Object[] records = {1, "two", new Point(3, 4), null, 5L, new int[] {6}, Player.JAVA, new Point(7, 8), "two"};
        for (Object record : records) {
            writer.write(record);
        }
        assertThat(writer.recordCount()).isEqualTo(records.length);
        List<Object> copies = read(writer.finish());
        assertThat(copies).hasSize(records.length);
        assertThat(copies.get(5)).isEqualTo(records[5]);
        copies.set(5, records[5]);
        assertThat(copies).containsExactly(records);
        assertThat(writer.recordCount()).isZero();
    }

    static final class Pair implements Serializable {
        Long number;
        Double real;

        Pair(long number) {
            this.number = number;
            real = number / 3.0;
        }
    }

    /** Classes with numbers alone, with boxes, with references; in rows, and changing from record to record. */
    private static Object recordOfRow(int i, int rowLength) {
        return switch (i / rowLength % 6) {
            case 0 -> new Point(i, i);
            case 1 -> new Pair(i);
            case 2 -> "text " + i;
            case 3 -> i % 2 == 0 ? null : new Point(i, i);
            case 4 -> new Box(new Pair(i));
            default -> new Pair(-i);
        };
    }

    @Test
    void writesAllAsItWritesEach() {
        List<Encoding> encodings =
                VirtualMachine.current().memory() == null ? List.of(Encoding.COMPACT) : List.of(Encoding.values());
        for (Encoding encoding : encodings) {
            GroupWriter each = HEAPSPAN.groupWriter(encoding);
            GroupWriter all = HEAPSPAN.groupWriter(encoding);
            for (int rowLength : new int[] {1, 2, 7, 1000, 30_000}) {
                Object[] records = new Object[60_000];
                for (int i = 0; i < records.length; i++) {
                    records[i] = recordOfRow(i, rowLength);
                    each.write(records[i]);
                }
                all.writeAll(records);
                all.writeAll(new Object[0]);
                assertThat(all.recordCount()).isEqualTo(records.length);
                assertThat(all.finish())
                        .as("%s, rows of %d", encoding, rowLength)
                        .isEqualTo(each.finish());
            }
        }
    }

    @Test
    void recordsBeforeOneThatFailsAreInTheGroup() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        Object[] records = {new Point(1, 1), new Point(2, 2), new Pair(3), new Box(new Thread()), new Pair(4)};
        assertThatThrownBy(() -> writer.writeAll(records)).isInstanceOf(HeapspanException.class);
        assertThat(writer.recordCount()).isEqualTo(3);
        writer.writeAll(new Object[] {new Point(5, 5)});
        List<Object> copies = read(writer.finish());
        assertThat(copies).hasSize(4);
        assertThat(copies.get(1)).isEqualTo(records[1]);
        assertThat(((Pair) copies.get(2)).number).isEqualTo(3);
        assertThat(copies.get(3)).isEqualTo(new Point(5, 5));
    }

    @Test
    void makesEmptyGroups() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        for (int i = 0; i < 3; i++) {
            assertThat(read(writer.finish())).isEmpty();
        }
        ByteBuffer inPlace = writer.finishInPlace();
        assertThat(HEAPSPAN.groupReader(inPlace).hasNext()).isFalse();
    }

    @Test
    void takesRecordsThatAreUsedAgain() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        int[] array = new int[1];
        Box box = new Box(array);
        for (int i = 0; i < 1000; i++) {
            array[0] = i;
            writer.write(box);
        }
        List<Object> copies = read(writer.finish());
        for (int i = 0; i < 1000; i++) {
            assertThat(((int[]) ((Box) copies.get(i)).content)[0]).isEqualTo(i);
        }
        assertThat(copies.get(0)).isNotSameAs(copies.get(1));
    }

    @Test
    void makesSelfContainedGroupsInARow() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        List<byte[]> groups = new ArrayList<>();
        for (int group = 0; group < 300; group++) {
            for (int i = 0; i < group % 7; i++) {
                writer.write(group % 3 == 0 ? new Point(group, i) : media());
            }
            groups.add(writer.finish());
        }
        for (int group = groups.size() - 1; group >= 0; group--) {
            List<Object> copies = read(groups.get(group));
            assertThat(copies).hasSize(group % 7);
            for (Object copy : copies) {
                if (group % 3 == 0) {
                    assertThat(((Point) copy).x()).isEqualTo(group);
                } else {
                    assertThat(copy).usingRecursiveComparison().isEqualTo(media());
                }
            }
        }
    }

    @Test
    void endsGroupsInPlace() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 500; i++) {
                writer.write(media());
            }
            ByteBuffer group = writer.finishInPlace();
            ByteBuffer direct = ByteBuffer.allocateDirect(group.remaining());
            direct.put(group.duplicate()).flip();
            for (ByteBuffer form : new ByteBuffer[] {group, group.asReadOnlyBuffer(), direct}) {
                int position = form.position();
                GroupReader reader = HEAPSPAN.groupReader(form);
                int count = 0;
                while (reader.hasNext()) {
                    assertThat(((Media) reader.next()).persons).containsExactly("Bill Gates", "Steve Jobs");
                    count++;
                }
                assertThat(count).isEqualTo(500);
                assertThat(form.position()).isEqualTo(position);
            }
        }
    }

    @Test
    void tellsTheSizeOfTheGroup() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        for (int records : new int[] {0, 1, 100, 10_000}) {
            for (int i = 0; i < records; i++) {
                writer.write(new Point(i, i));
            }
            long told = writer.sizeBytes();
            assertThat((long) writer.finish().length).isBetween(told, told + 48);
        }
    }

    @Test
    void tellsTheSizeOfAGroupOfManyFrames() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        byte[] record = new byte[8 << 20];
        for (int i = 0; i < 10; i++) {
            writer.write(record);
        }
        long told = writer.sizeBytes();
        assertThat(writer.recordCount()).isEqualTo(10);
        byte[] group = writer.finish();
        assertThat((long) group.length).isBetween(told, told + 1024);
        assertThat(read(group)).hasSize(10);
    }

    @Test
    void leavesTheGroupAsItWasWhereARecordFails() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        GroupWriter expected = HEAPSPAN.groupWriter();
        for (int i = 0; i < 100; i++) {
            writer.write(new Point(i, 1));
            expected.write(new Point(i, 1));
            long sizeBytes = writer.sizeBytes();
            // Its class is new to the group, and so is the class that fails.
            assertThatThrownBy(() -> writer.write(new Object[] {media(), new Box("x"), Thread.currentThread()}))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.CLASS_REFUSED));
            assertThat(writer.sizeBytes()).isEqualTo(sizeBytes);
            assertThat(writer.recordCount()).isEqualTo(i + 1);
            if (i % 10 == 9) {
                writer.write(media());
                expected.write(media());
                assertThat(writer.finish()).isEqualTo(expected.finish());
                i++;
                writer.write(new Point(i, 1));
                expected.write(new Point(i, 1));
                byte[] group = writer.finish();
                assertThat(group).isEqualTo(expected.finish());
                i -= 1;
                writer.finish();
                expected.finish();
                for (int j = 0; j <= i; j++) {
                    writer.write(new Point(j, 1));
                    expected.write(new Point(j, 1));
                }
            }
        }
        assertThat(read(writer.finish())).hasSize(100);
    }

    @Test
    void leavesTheGroupAsItWasWhereAHookFails() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        writer.write(new Point(1, 1));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> writer.write(new HeapspanTest.HalfWritten(1, true)))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.HOOK));
            writer.write(new HeapspanTest.HalfWritten(i, false));
        }
        List<Object> copies = read(writer.finish());
        assertThat(copies).hasSize(4);
        assertThat(((HeapspanTest.HalfWritten) copies.get(3)).first).isEqualTo(2);
        assertThat(((HeapspanTest.HalfWritten) copies.get(3)).second).isEqualTo(-2);
    }

    /** The failing record has filled frames that are already closed. */
    @Test
    void takesBackClosedFrames() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        writer.write(new Point(1, 1));
        Object[] parts = new Object[101];
        Arrays.fill(parts, 0, 100, new Box(null));
        for (int i = 0; i < 100; i++) {
            parts[i] = new byte[1 << 20];
        }
        parts[100] = Thread.currentThread();
        for (int round = 0; round < 2; round++) {
            assertThatThrownBy(() -> writer.write(parts)).isInstanceOf(HeapspanException.class);
            assertThat(writer.recordCount()).isEqualTo(round + 1);
            writer.write(media());
        }
        List<Object> copies = read(writer.finish());
        assertThat(copies).hasSize(3);
        assertThat(copies.get(0)).isEqualTo(new Point(1, 1));
        assertThat(copies.get(2)).usingRecursiveComparison().isEqualTo(media());
    }

    @Test
    void takesBackRecordsWithinARowOfNumbers() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        List<Object> expected = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            Object record = i % 7 == 3 ? new Box(null) : new Point(i << i % 32, i / 3.0);
            if (i % 10 == 9) {
                assertThatThrownBy(() -> writer.write(new Box(Thread.currentThread())))
                        .isInstanceOf(HeapspanException.class);
            }
            writer.write(record);
            expected.add(record);
            assertThat(writer.recordCount()).isEqualTo(expected.size());
        }
        assertThat(read(writer.finish()))
                .usingRecursiveFieldByFieldElementComparator()
                .isEqualTo(expected);
    }

    @Test
    void keepsIdentityWithinARecordOnly() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        Box shared = new Box("x");
        writer.write(new Box[] {shared, shared});
        writer.write(new Box[] {shared, shared});
        List<Object> copies = read(writer.finish());
        Box[] first = (Box[]) copies.get(0);
        Box[] second = (Box[]) copies.get(1);
        assertThat(first[0]).isSameAs(first[1]);
        assertThat(second[0]).isSameAs(second[1]).isNotSameAs(first[0]);
    }

    @Test
    void allocatesNothingForARecord() {
        Point point = new Point(123_456, 1.5);
        Media media = media();
        assertThat(bytesPerRecord(point)).as("Point").isLessThan(1.0);
        assertThat(bytesPerRecord(media)).as("Media").isLessThan(1.0);
    }

    private static double bytesPerRecord(Object record) {
        GroupWriter writer = HEAPSPAN.groupWriter();
        int groups = 100;
        int records = 1000;
        for (int group = 0; group < groups; group++) {
            writeGroup(writer, record, records);
        }
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 3; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int group = 0; group < groups; group++) {
                writeGroup(writer, record, records);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return (double) least / (groups * records);
    }

    private static void writeGroup(GroupWriter writer, Object record, int records) {
        for (int i = 0; i < records; i++) {
            writer.write(record);
        }
        assertThat(writer.recordCount()).isEqualTo(records);
        writer.finishInPlace();
    }

    @Test
    void keepsNoRecordAlive() throws InterruptedException {
        GroupWriter writer = HEAPSPAN.groupWriter();
        List<WeakReference<?>> records = new ArrayList<>();
        writeAndForget(writer, records);
        for (int attempt = 0; attempt < 50 && records.stream().anyMatch(r -> r.get() != null); attempt++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(records.stream()
                        .map(WeakReference::get)
                        .filter(java.util.Objects::nonNull)
                        .map(o -> o.getClass().getName()))
                .isEmpty();
        Reference.reachabilityFence(writer);
    }

    private static void writeAndForget(GroupWriter writer, List<WeakReference<?>> records) {
        for (int i = 0; i < 100; i++) {
            Box inner = new Box(new int[3]);
            Object[] record = {inner, new ArrayList<>(List.of(inner)), new Box(new HeapspanTest.HalfWritten(1, false))};
            records.add(new WeakReference<>(inner));
            records.add(new WeakReference<>(record));
            records.add(new WeakReference<>(record[2]));
            writer.write(record);
        }
        Box chain = null;
        for (int i = 0; i < 1000; i++) {
            chain = new Box(chain);
            records.add(new WeakReference<>(chain));
        }
        writer.write(chain);
        assertThat(read(writer.finish())).hasSize(101);
    }

    @Test
    void readsGroupsWhoseRecordsAreDeep() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        for (int depth : new int[] {10, 95, 96, 97, 98, 1000, 100_000}) {
            Box chain = new Box("end");
            for (int i = 0; i < depth; i++) {
                chain = new Box(chain);
            }
            writer.write(chain);
        }
        int[] depths = read(writer.finish()).stream()
                .mapToInt(record -> {
                    int depth = -1;
                    for (Object box = record; box instanceof Box b; box = b.content) {
                        depth++;
                    }
                    return depth;
                })
                .toArray();
        assertThat(depths).containsExactly(10, 95, 96, 97, 98, 1000, 100_000);
    }
}
