package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.ByteArrayInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.Mode;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.format.StreamSource;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.TypeResolver;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The portable engine on records of many chunks, whose references lead to chunks before and behind. */
@Tag("once")
@DisabledIfSystemProperty(named = "heapspan.access", matches = "unsafe|reflection")
final class RawWaitingChunksTest {
    private static final Heapspan UNCHECKED = Heapspan.builder().checksum(false).build();

    static final class Node implements Serializable {
        private static final long serialVersionUID = 1L;

        int number;
        String name;
        TimeUnit unit;
        Node left;
        Node right;
        Node[] others;

        Node(int number) {
            this.number = number;
        }
    }

    /** What the portable engine makes of an image of which each frame comes in an array of its own. */
    static Object portable(byte[] image) {
        ImageReader reader = RawImageReader.portable(new TypeResolver(
                PolicyCodecRegistry.of(Mode.SERIAL, Map.of()), TypeResolver.Admission.everything(), null));
        reader.begin(new StreamSource(new ByteArrayInputStream(image), true));
        Object root = reader.readRoot();
        if (!reader.atEnd()) {
            throw reader.malformed("bytes follow the end of the graph");
        }
        return root;
    }

    /** References lead anywhere, and arrays of them go over several chunks. */
    private static Node[] graph(int size, Random random) {
        Node[] nodes = new Node[size];
        for (int i = 0; i < size; i++) {
            nodes[i] = new Node(i);
        }
        for (Node node : nodes) {
            node.name = random.nextInt(3) == 0 ? null : "node " + node.number;
            node.unit = TimeUnit.values()[random.nextInt(TimeUnit.values().length)];
            node.left = nodes[random.nextInt(size)];
            node.right = nodes[random.nextInt(size)];
            if (random.nextInt(size) < 3) {
                node.others = new Node[100_000];
                Arrays.setAll(node.others, i -> nodes[random.nextInt(size)]);
            }
        }
        nodes[0].others = nodes;
        return nodes;
    }

    /** Compares two graphs, object by object. */
    private static void assertAlike(Node[] nodes, Node[] copies) {
        IdentityHashMap<Node, Node> copyOf = new IdentityHashMap<>();
        for (int i = 0; i < nodes.length; i++) {
            assertThat(copyOf.put(nodes[i], copies[i])).isNull();
        }
        for (Node node : nodes) {
            Node copy = copyOf.get(node);
            boolean alike = copy.number == node.number
                    && copy.unit == node.unit
                    && (node.name == null ? copy.name == null : node.name.equals(copy.name))
                    && copy.left == copyOf.get(node.left)
                    && copy.right == copyOf.get(node.right)
                    && (node.others == null) == (copy.others == null);
            for (int i = 0; alike && node.others != null && i < node.others.length; i++) {
                alike = copy.others[i] == copyOf.get(node.others[i]);
            }
            if (!alike) {
                fail("node " + node.number + " has another copy");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void referencesOfAllDirectionsArrive(int seed) {
        Node[] nodes = graph(50_000, new Random(seed));
        byte[] image = UNCHECKED.encode(nodes, Encoding.RAW);
        assertThat(frames(image)).hasSizeGreaterThan(10);
        assertAlike(nodes, (Node[]) portable(image));
    }

    @Test
    void aChunkThatRefersToTheLastOneWaitsForIt() {
        Node first = new Node(0);
        Node last = first;
        for (int i = 1; i < 100_000; i++) {
            last.left = new Node(i);
            last.left.right = last;
            last = last.left;
        }
        Node head = new Node(-1);
        head.left = first;
        head.right = last;
        Node copy = (Node) portable(UNCHECKED.encode(head, Encoding.RAW));
        Node previous = null;
        Node each = copy.left;
        for (int i = 0; i < 100_000; i++) {
            if (each.number != i || each.right != previous) {
                fail("node " + i);
            }
            previous = each;
            each = each.left;
        }
        assertThat(each).isNull();
        assertThat(copy.right).isSameAs(previous);
    }

    // ---------------------------------------------------------------- damaged images

    /** Where frames begin. */
    private static List<Integer> frames(byte[] image) {
        List<Integer> frames = new ArrayList<>();
        ByteBuffer view = view(image);
        int frame = ImageFormat.IMAGE_HEADER_BYTES;
        while (frame < image.length) {
            frames.add(frame);
            frame += ImageFormat.FRAME_HEADER_BYTES
                    + view.getInt(frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET)
                    + view.getInt(frame + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        }
        return frames;
    }

    /** Where the chunk of a frame begins. */
    private static int chunk(byte[] image, int frame) {
        int body = frame
                + ImageFormat.FRAME_HEADER_BYTES
                + view(image).getInt(frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
        return frame == ImageFormat.IMAGE_HEADER_BYTES ? body + RawFormat.LAYOUT_BYTES : body;
    }

    private static ByteBuffer view(byte[] image) {
        return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void assertRefused(byte[] image, String why) {
        assertThatThrownBy(() -> portable(image))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining(why);
    }

    @Test
    void refusesARecordOfWhichChunksAreMissing() {
        byte[] image = UNCHECKED.encode(graph(20_000, new Random(4)), Encoding.RAW);
        List<Integer> frames = frames(image);
        int last = frames.get(frames.size() - 1);
        assertRefused(Arrays.copyOf(image, last), "");
        assertRefused(Arrays.copyOf(image, last + 1000), "truncated");
        // The frame before ends the record, in which not all objects have come.
        int chunk = chunk(image, frames.get(frames.size() - 2));
        byte[] cut = Arrays.copyOf(image, last);
        ByteBuffer view = view(cut);
        view.putInt(chunk + RawFormat.FLAGS_OFFSET, view.getInt(chunk + RawFormat.FLAGS_OFFSET) | RawFormat.FLAG_ENDS);
        assertRefused(cut, "");
    }

    @Test
    void refusesABitmapWithBitsBehindTheObjects() {
        Node[] nodes = graph(20_000, new Random(5));
        byte[] image = UNCHECKED.encode(nodes, Encoding.RAW);
        ByteBuffer view = view(image);
        int damaged = 0;
        for (int frame : frames(image)) {
            int chunk = chunk(image, frame);
            int objectBytes = view.getInt(chunk + RawFormat.UNIT_COUNT_OFFSET) << RawFormat.UNIT_SHIFT;
            int bitmap =
                    chunk + RawFormat.HEADER_BYTES + view.getInt(chunk + RawFormat.CLASS_BYTES_OFFSET) + objectBytes;
            int lastWord = bitmap + (int) RawFormat.bitmapBytes(objectBytes) - Long.BYTES;
            if (objectBytes % 256 != 0) {
                byte[] altered = image.clone();
                view(altered).putLong(lastWord, view.getLong(lastWord) | Long.MIN_VALUE);
                assertRefused(altered, "bitmap");
                damaged++;
            }
        }
        assertThat(damaged).as("chunks whose bitmap has room").isPositive();
    }

    /** Whatever has become of the bytes, an exception of ours is the worst that happens. */
    @Test
    void damagedBytesAreRefusedOrGiveAnotherGraph() {
        long seed = 20261126;
        Random random = new Random(seed);
        byte[] image = UNCHECKED.encode(graph(6_000, random), Encoding.RAW);
        List<Integer> frames = frames(image);
        assertThat(frames).hasSizeGreaterThan(3);
        int refused = 0;
        for (int round = 0; round < 400; round++) {
            byte[] altered = image.clone();
            // Half of the damage goes to the heads of chunks.
            int from = random.nextBoolean() ? frames.get(random.nextInt(frames.size())) : random.nextInt(image.length);
            int at = Math.min(image.length - 1, from + random.nextInt(120));
            altered[at] = (byte) (random.nextBoolean() ? altered[at] ^ 1 << random.nextInt(8) : random.nextInt());
            try {
                portable(altered);
            } catch (HeapspanException e) {
                refused++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", round " + round + ", byte " + at, e);
            }
        }
        assertThat(refused).isGreaterThan(50);
    }
}
