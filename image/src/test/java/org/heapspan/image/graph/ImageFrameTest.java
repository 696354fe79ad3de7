package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.image.format.ImageFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images of more than one frame: nothing may depend on where one ends. */
@Tag("once")
final class ImageFrameTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Item implements Serializable {
        long id;
        String name;
        byte[] payload;
        Item previous;
        Map<String, Object> attributes = new HashMap<>();
    }

    private static List<Item> items(int count, Random random) {
        List<Item> items = new ArrayList<>();
        Item previous = null;
        for (int i = 0; i < count; i++) {
            Item item = new Item();
            item.id = random.nextLong() >> random.nextInt(64);
            item.name = "x".repeat(random.nextInt(5000)) + (i % 3 == 0 ? "€" : "");
            item.payload = new byte[random.nextInt(9000)];
            random.nextBytes(item.payload);
            item.previous = previous;
            item.attributes.put("index", i);
            item.attributes.put("numbers", new int[] {i, -i});
            previous = item;
            items.add(item);
        }
        return items;
    }

    /** The frames of an image, from a reading of its own. */
    private static List<Integer> frameSizes(byte[] image) {
        List<Integer> sizes = new ArrayList<>();
        int offset = ImageFormat.IMAGE_HEADER_BYTES;
        while (offset < image.length) {
            int body = (int) ImageFormat.INT.get(image, offset);
            int types = (int) ImageFormat.INT.get(image, offset + 4);
            sizes.add(body + types);
            offset += ImageFormat.FRAME_HEADER_BYTES + body + types;
        }
        assertThat(offset).isEqualTo(image.length);
        return sizes;
    }

    @Test
    void sumsLargeArraysPieceByPiece() {
        Random random = new Random(5);
        byte[] bytes = new byte[3_000_001];
        random.nextBytes(bytes);
        double[] doubles = random.doubles(400_000).toArray();
        Object[] graph = {"before", bytes, doubles, new Item(), doubles, new short[600_000], "behind"};
        Object[] copy = HEAPSPAN.decode(HEAPSPAN.encode(graph), Object[].class);
        assertThat((byte[]) copy[1]).isEqualTo(bytes);
        assertThat((double[]) copy[2]).isEqualTo(doubles);
        assertThat(copy[4]).isSameAs(copy[2]);
        assertThat(copy[6]).isEqualTo("behind");
        GroupWriter writer = HEAPSPAN.groupWriter();
        for (int i = 0; i < 3; i++) {
            writer.write(bytes);
            assertThatThrownBy(() -> writer.write(new Object[] {doubles, Thread.currentThread()}))
                    .isInstanceOf(HeapspanException.class);
            writer.write(doubles);
        }
        GroupReader reader = HEAPSPAN.groupReader(writer.finish());
        for (int i = 0; i < 3; i++) {
            assertThat((byte[]) reader.next()).isEqualTo(bytes);
            assertThat((double[]) reader.next()).isEqualTo(doubles);
        }
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void cutsStreamsIntoFramesThatReadAsOne() throws IOException {
        long seed = 20_261_121;
        List<Item> items = items(600, new Random(seed));
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(items, stream);
        List<Integer> sizes = frameSizes(stream.toByteArray());
        assertThat(sizes).hasSizeGreaterThan(5).endsWith(0);
        assertThat(sizes).allMatch(size -> size < 2 * ImageFormat.FRAME_TARGET_BYTES);
        List<?> copy = HEAPSPAN.decodeFrom(new ByteArrayInputStream(stream.toByteArray()), List.class);
        assertItems(copy, items);
        // In memory an image may have frames too.
        assertItems(HEAPSPAN.decode(stream.toByteArray(), List.class), items);
    }

    private static void assertItems(List<?> copies, List<Item> items) {
        assertThat(copies).hasSameSizeAs(items);
        for (int i = 0; i < items.size(); i++) {
            Item copy = (Item) copies.get(i);
            Item item = items.get(i);
            assertThat(copy.id).isEqualTo(item.id);
            assertThat(copy.name).isEqualTo(item.name);
            assertThat(copy.payload).isEqualTo(item.payload);
            assertThat(copy.previous).isSameAs(i == 0 ? null : copies.get(i - 1));
            assertThat(copy.attributes.get("index")).isEqualTo(i);
            assertThat((int[]) copy.attributes.get("numbers")).containsExactly(i, -i);
        }
    }

    /** Strings around the size at which they are no longer one unit, at all places relative to the end of a frame. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2039, 2047, 2048, 2049, 70_000})
    void movesUnitsAcrossFrameEnds(int length) throws IOException {
        int count = 2 * ImageFormat.FRAME_TARGET_BYTES / length + 10;
        for (int shift = 0; shift < 12; shift += 4) {
            Object[] graph = new Object[Math.min(count, 400_000) + 1];
            graph[0] = new byte[shift];
            for (int i = 1; i < graph.length; i++) {
                graph[i] = String.valueOf((char) ('a' + i % 26)).repeat(length);
            }
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            HEAPSPAN.encodeTo(graph, stream);
            Object[] copy = HEAPSPAN.decodeFrom(new ByteArrayInputStream(stream.toByteArray()), Object[].class);
            assertThat(Arrays.equals(copy, 1, copy.length, graph, 1, graph.length))
                    .isTrue();
        }
    }

    @Test
    void describesTypesInTheFrameThatUsesThem() throws IOException {
        Object[] graph = {
            new byte[600_000], new Item(), new byte[600_000], List.of("x"), new byte[600_000], new Item[3], new Item()
        };
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(graph, stream);
        Object[] copy = HEAPSPAN.decodeFrom(new ByteArrayInputStream(stream.toByteArray()), Object[].class);
        assertThat(copy[3]).isEqualTo(List.of("x"));
        assertThat(copy[5]).isInstanceOf(Item[].class);
        assertThat(copy[6]).isInstanceOf(Item.class);
    }

    /** Neither side holds the image as a whole, only the array. */
    @Test
    void streamsAnArrayOf100Megabytes() throws IOException {
        long[] array = new long[100_000_000 / 8];
        Arrays.setAll(array, i -> i * 0x9E3779B97F4A7C15L);
        Pipe pipe = new Pipe();
        HEAPSPAN.encodeTo(array, pipe);
        assertThat(pipe.sizeBytes).isBetween(100_000_000L, 100_100_000L);
        assertThat(pipe.largestWrite).isLessThan(4 * ImageFormat.FRAME_TARGET_BYTES);
        assertThat(Arrays.equals(HEAPSPAN.decodeFrom(pipe.input(), long[].class), array))
                .isTrue();
    }

    /** Keeps what was written in the pieces in which it came. */
    private static final class Pipe extends OutputStream {
        private final List<byte[]> pieces = new ArrayList<>();
        private long sizeBytes;
        private int largestWrite;

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            pieces.add(Arrays.copyOfRange(bytes, offset, offset + length));
            sizeBytes += length;
            largestWrite = Math.max(largestWrite, length);
        }

        InputStream input() {
            InputStream all = InputStream.nullInputStream();
            for (int i = pieces.size() - 1; i >= 0; i--) {
                all = new java.io.SequenceInputStream(new ByteArrayInputStream(pieces.get(i)), all);
            }
            return all;
        }
    }

    @Test
    void encodesMoreThanTheLargestFrameBuffer() {
        // More than 64 MB in memory is collected in frames, from small parts and from large ones.
        Object[] graph = new Object[90];
        Random random = new Random(7);
        for (int i = 0; i < graph.length; i++) {
            byte[] part = new byte[(1 << 20) + random.nextInt(1000)];
            random.nextBytes(part);
            graph[i] = i % 10 == 0 ? new Object[] {part, "text " + i, part} : part;
        }
        byte[] image = HEAPSPAN.encode(graph);
        assertThat(image.length).isGreaterThan(90 << 20);
        assertThat(frameSizes(image)).hasSizeGreaterThan(1);
        Object[] copy = HEAPSPAN.decode(image, Object[].class);
        for (int i = 0; i < graph.length; i++) {
            if (graph[i] instanceof Object[] parts) {
                Object[] copies = (Object[]) copy[i];
                assertThat(crc((byte[]) copies[0])).isEqualTo(crc((byte[]) parts[0]));
                assertThat(copies[1]).isEqualTo(parts[1]);
                assertThat(copies[2]).isSameAs(copies[0]);
            } else {
                assertThat(crc((byte[]) copy[i])).isEqualTo(crc((byte[]) graph[i]));
            }
        }
    }

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    @Test
    void encodesOneLargeArrayInMemory() {
        int[] array = new int[30_000_000];
        array[0] = 1;
        array[array.length - 1] = -1;
        byte[] image = HEAPSPAN.encode(array);
        int[] copy = HEAPSPAN.decode(image, int[].class);
        assertThat(copy.length).isEqualTo(array.length);
        assertThat(copy[0]).isEqualTo(1);
        assertThat(copy[copy.length - 1]).isEqualTo(-1);
        Object[] both = HEAPSPAN.decode(HEAPSPAN.encode(new Object[] {array, "behind", array}), Object[].class);
        assertThat(both[0]).isSameAs(both[2]);
        assertThat(both[1]).isEqualTo("behind");
    }
}
