package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;

/** Images in buffers: one or several, heap or direct memory. */
final class HeapspanMemoryTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Item implements Serializable {
        String name;
        long[] numbers;
        Item previous;

        Item(int number, Item previous) {
            name = "item " + number;
            numbers = new long[] {number, -number};
            this.previous = previous;
        }
    }

    private static List<Item> items(int count) {
        // A raw image may have the whole array of a list, or only what the elements need.
        List<Item> items = new ArrayList<>(count);
        Item previous = null;
        for (int i = 0; i < count; i++) {
            previous = new Item(i, previous);
            items.add(previous);
        }
        return items;
    }

    private static void assertIsCopy(List<?> copy, int count) {
        assertThat(copy).hasSize(count);
        Item previous = null;
        for (int i = 0; i < count; i++) {
            Item item = (Item) copy.get(i);
            assertThat(item.name).isEqualTo("item " + i);
            assertThat(item.numbers).containsExactly(i, -i);
            assertThat(item.previous).isSameAs(previous);
            previous = item;
        }
    }

    private static void assertCategory(Category category, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(category));
    }

    @Test
    void takesBothEncodingsAndTrustedReaders() {
        List<Item> items = items(50);
        for (Heapspan heapspan : List.of(HEAPSPAN, Heapspan.builder().verify(1).build())) {
            for (Encoding encoding : Encoding.values()) {
                byte[] whole = heapspan.encode(items, encoding);
                for (boolean direct : new boolean[] {false, true}) {
                    ByteBuffer one = buffer(direct, whole.length + 7);
                    assertThat(heapspan.encodeTo(items, encoding, one)).isEqualTo(whole.length);
                    assertThat(one.position()).isEqualTo(whole.length);
                    one.flip();
                    assertThat(joined(one.duplicate())).isEqualTo(whole);
                    assertIsCopy(heapspan.decodeTrustedFrom(one, List.class), 50);
                    assertThat(one.remaining()).isZero();

                    ByteBuffer[] several = {buffer(direct, whole.length / 3), buffer(!direct, whole.length)};
                    heapspan.encodeTo(items, encoding, several);
                    several[0].flip();
                    several[1].flip();
                    assertIsCopy(heapspan.decodeTrustedFrom(several, List.class), 50);
                    assertThat(several[1].remaining()).isZero();

                    ByteBuffer small = buffer(direct, whole.length - 1);
                    assertCategory(Category.LIMIT, () -> heapspan.encodeTo(items, encoding, small));
                    assertThat(small.position()).isZero();

                    GroupWriter writer = heapspan.groupWriter(encoding);
                    writer.write(items);
                    writer.write("end");
                    byte[] group = writer.finish();
                    ByteBuffer inMemory = buffer(direct, group.length + 2).position(1);
                    inMemory.put(group).flip().position(1);
                    GroupReader reader = heapspan.trustedGroupReader(inMemory);
                    assertIsCopy((List<?>) reader.next(), 50);
                    assertThat(reader.next()).isEqualTo("end");
                    assertThat(reader.hasNext()).isFalse();
                }
            }
        }
        ByteBuffer damaged = ByteBuffer.wrap(HEAPSPAN.encode(items, Encoding.RAW));
        damaged.put(damaged.capacity() - 1, (byte) (damaged.get(damaged.capacity() - 1) ^ 1));
        assertCategory(Category.MALFORMED, () -> HEAPSPAN.decodeTrustedFrom(damaged, List.class));
        assertThat(damaged.position()).isZero();
    }

    @Test
    void splitsAnImageAtEveryByte() {
        List<Item> items = items(3);
        byte[] whole = HEAPSPAN.encode(items);
        for (int split = 0; split <= whole.length; split++) {
            for (boolean direct : new boolean[] {false, true}) {
                ByteBuffer[] memory = {buffer(direct, split), buffer(!direct, 0), buffer(direct, whole.length - split)};
                assertThat(HEAPSPAN.encodeTo(items, memory)).isEqualTo(whole.length);
                for (ByteBuffer each : memory) {
                    assertThat(each.remaining()).isZero();
                    each.flip();
                }
                assertThat(joined(memory)).isEqualTo(whole);
                assertIsCopy(HEAPSPAN.decodeFrom(memory, List.class), 3);
                assertThat(Arrays.stream(memory).mapToInt(ByteBuffer::remaining).sum())
                        .isZero();
            }
        }
    }

    private static ByteBuffer buffer(boolean direct, int sizeBytes) {
        return direct ? ByteBuffer.allocateDirect(sizeBytes) : ByteBuffer.allocate(sizeBytes);
    }

    private static byte[] joined(ByteBuffer... buffers) {
        ByteBuffer all = ByteBuffer.allocate(
                Arrays.stream(buffers).mapToInt(ByteBuffer::remaining).sum());
        for (ByteBuffer each : buffers) {
            all.put(each.duplicate());
        }
        return all.array();
    }

    @Test
    void putsEachByteIntoABufferOfItsOwn() {
        List<Item> items = items(5);
        ByteBuffer[] memory = new ByteBuffer[HEAPSPAN.encode(items).length + 7];
        Arrays.setAll(memory, i -> ByteBuffer.allocate(1));
        long sizeBytes = HEAPSPAN.encodeTo(items, memory);
        assertThat(sizeBytes).isEqualTo(memory.length - 7);
        for (ByteBuffer each : memory) {
            each.flip();
        }
        assertIsCopy(HEAPSPAN.decodeFrom(memory, List.class), 5);
    }

    @Test
    void splitsImagesOfManyFrames() {
        List<Item> items = items(40_000);
        long seed = Long.getLong("heapspan.tests.seed", 7);
        System.out.println("HeapspanMemoryTest: seed " + seed + " (repeat with -Dheapspan.tests.seed=" + seed + ")");
        Random random = new Random(seed);
        List<ByteBuffer> parts = new ArrayList<>();
        for (long room = 0; room < 4 << 20; room += parts.get(parts.size() - 1).remaining()) {
            parts.add(buffer(random.nextBoolean(), random.nextInt(random.nextBoolean() ? 200_000 : 20)));
        }
        ByteBuffer[] memory = parts.toArray(ByteBuffer[]::new);
        long sizeBytes = HEAPSPAN.encodeTo(items, memory);
        assertThat(sizeBytes).isGreaterThan(1 << 20);
        for (ByteBuffer each : memory) {
            each.flip();
        }
        assertThat(Arrays.stream(memory).mapToLong(ByteBuffer::remaining).sum()).isEqualTo(sizeBytes);
        assertIsCopy(HEAPSPAN.decodeFrom(memory, List.class), 40_000);
    }

    @Test
    void usesTheRangeBetweenPositionAndLimit() {
        ByteBuffer memory = ByteBuffer.allocateDirect(10_000).position(100).limit(9_000);
        long sizeBytes = HEAPSPAN.encodeTo(items(4), memory);
        assertThat(memory.position()).isEqualTo(100 + sizeBytes);
        assertThat(memory.limit()).isEqualTo(9_000);
        memory.limit(memory.position()).position(100);
        assertIsCopy(HEAPSPAN.decodeFrom(memory, List.class), 4);

        ByteBuffer slice = ByteBuffer.allocate(10_000).position(300).slice();
        HEAPSPAN.encodeTo(items(4), slice.position(50));
        slice.limit(slice.position()).position(50);
        assertIsCopy(HEAPSPAN.decodeFrom(slice, List.class), 4);
        slice.position(50);
        assertIsCopy(HEAPSPAN.decodeFrom(slice.asReadOnlyBuffer(), List.class), 4);
    }

    @Test
    void leavesBuffersThatAreTooSmallAsTheyWere() {
        for (int count : new int[] {4, 40_000}) {
            List<Item> items = items(count);
            int sizeBytes = HEAPSPAN.encode(items).length;
            ByteBuffer[] memory = {
                ByteBuffer.allocate(sizeBytes / 2).position(3), ByteBuffer.allocateDirect(sizeBytes / 2)
            };
            assertCategory(Category.LIMIT, () -> HEAPSPAN.encodeTo(items, memory));
            assertThat(memory[0].position()).isEqualTo(3);
            assertThat(memory[1].position()).isZero();
            assertThatThrownBy(() -> HEAPSPAN.encodeTo(items, new ByteBuffer[0]))
                    .hasMessageContaining("room for 0");
        }
        int sizeBytes = HEAPSPAN.encode(items(4)).length;
        assertThatThrownBy(() -> HEAPSPAN.encodeTo(items(4), ByteBuffer.allocate(sizeBytes - 1)))
                .hasMessageContaining("the image has " + sizeBytes + " bytes")
                .hasMessageContaining("room for " + (sizeBytes - 1));
    }

    @Test
    void leavesBuffersAsTheyWereWhereAnObjectIsRefused() {
        Object[] graph = {items(20_000), Thread.currentThread()};
        ByteBuffer memory = ByteBuffer.allocate(4 << 20).position(5);
        assertCategory(Category.CLASS_REFUSED, () -> HEAPSPAN.encodeTo(graph, memory));
        assertThat(memory.position()).isEqualTo(5);
        ByteBuffer readOnly = ByteBuffer.allocate(500).asReadOnlyBuffer();
        ByteBuffer first = ByteBuffer.allocate(10);
        assertThatThrownBy(() -> HEAPSPAN.encodeTo(items(4), first, readOnly))
                .isInstanceOf(ReadOnlyBufferException.class);
        assertThat(first.position()).isZero();
        // The instance is as good as before.
        assertIsCopy(HEAPSPAN.decode(HEAPSPAN.encode(items(4)), List.class), 4);
    }

    @Test
    void refusesWhatIsNotOneWholeImage() {
        byte[] image = HEAPSPAN.encode(items(4));
        for (int cut : new int[] {0, 1, 7, 8, 19, 20, 100, image.length - 1}) {
            ByteBuffer[] memory = {ByteBuffer.wrap(image, 0, cut / 2), ByteBuffer.wrap(image, cut / 2, cut - cut / 2)};
            assertCategory(Category.MALFORMED, () -> HEAPSPAN.decodeFrom(memory, List.class));
            assertThat(memory[0].position()).isZero();
            assertThat(memory[1].position()).isEqualTo(cut / 2);
        }
        ByteBuffer[] longer = {ByteBuffer.wrap(image), ByteBuffer.wrap(new byte[1])};
        assertCategory(Category.MALFORMED, () -> HEAPSPAN.decodeFrom(longer, List.class));
        assertCategory(Category.MALFORMED, () -> HEAPSPAN.decodeFrom(new ByteBuffer[0], List.class));
    }

    @Test
    void aBufferWhoseRootHasAnotherClassStaysReadable() {
        byte[] image = HEAPSPAN.encode(items(4));
        ByteBuffer one = ByteBuffer.wrap(image);
        ByteBuffer[] two = {ByteBuffer.wrap(image, 0, 20), ByteBuffer.wrap(image, 20, image.length - 20)};
        assertCategory(Category.USAGE, () -> HEAPSPAN.decodeFrom(one, String.class));
        assertCategory(Category.USAGE, () -> HEAPSPAN.decodeTrustedFrom(one, String.class));
        assertCategory(Category.USAGE, () -> HEAPSPAN.decodeFrom(two, String.class));
        assertCategory(Category.USAGE, () -> HEAPSPAN.decodeTrustedFrom(two, String.class));
        assertIsCopy(HEAPSPAN.decodeFrom(one, List.class), 4);
        assertIsCopy(HEAPSPAN.decodeFrom(two, List.class), 4);
        assertThat(one.hasRemaining()).isFalse();
        assertThat(two[0].hasRemaining() || two[1].hasRemaining()).isFalse();
    }

    @Test
    void doesNotCopyAHeapBufferFirst() {
        byte[] content = new byte[8 << 20];
        ByteBuffer memory = ByteBuffer.wrap(HEAPSPAN.encode(content));
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 3; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(HEAPSPAN.decodeFrom(memory.rewind(), byte[].class)).hasSize(content.length);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThan(content.length + (1 << 20));
    }

    /** Bytes that were encoded in memory and stored: they have no end frame. */
    @Test
    void theEndOfAStreamEndsAnImageFromMemory() throws Exception {
        byte[] image = HEAPSPAN.encode(List.of("a", "b"));
        assertThat(HEAPSPAN.decodeFrom(new ByteArrayInputStream(image), Object.class))
                .isEqualTo(List.of("a", "b"));
        for (int length = 0; length < image.length; length++) {
            var source = new ByteArrayInputStream(image, 0, length);
            assertThatThrownBy(() -> HEAPSPAN.decodeFrom(source, Object.class))
                    .isInstanceOfAny(HeapspanException.class, IOException.class);
        }
        var more = new ByteArrayInputStream(Arrays.copyOf(image, image.length + 1));
        assertThatThrownBy(() -> HEAPSPAN.decodeFrom(more, Object.class))
                .isInstanceOfAny(HeapspanException.class, IOException.class);
    }
}
