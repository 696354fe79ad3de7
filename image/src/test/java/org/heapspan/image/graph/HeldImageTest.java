package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.Mode;
import org.heapspan.image.format.BufferSink;
import org.heapspan.image.format.FrameSink;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.Restart;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.heapspan.image.raw.RawImageWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images in memory, whose frames can be taken back: a record of many frames is written again like one of a single frame. */
@Tag("once")
final class HeldImageTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    private static final int ELEMENTS = 40_000;
    private static final int ROOM_BYTES = 8 << 20;

    /** Of a megabyte each: more than a writer collects in one frame. */
    private static final int GROUP_ARRAYS = 70;

    @SuppressWarnings("serial") // Fields hold what a test puts there.
    static class Node implements Serializable {
        String name;
        Object other;

        Node(String name, Object other) {
            this.name = name;
            this.other = other;
        }
    }

    /** A type that comes late. */
    static final class Late extends Node {
        Late(String name, Object other) {
            super(name, other);
        }
    }

    /** Has code that must run once for each object. */
    static final class Hooked implements Serializable {
        static int calls;

        private void writeObject(ObjectOutputStream out) throws IOException {
            calls++;
            out.defaultWriteObject();
        }
    }

    private static String name(int number) {
        return "an element with a name of some length, number " + number;
    }

    private static Object[] tree() {
        Object[] tree = new Object[ELEMENTS + 3];
        for (int i = 0; i < ELEMENTS; i++) {
            tree[i] = new Node(name(i), null);
        }
        return tree;
    }

    /** In buffers of many sizes, the first of which end within the header of the image. */
    private static ByteBuffer[] buffers() {
        return new ByteBuffer[] {
            ByteBuffer.allocate(9).position(4),
            ByteBuffer.allocateDirect(0),
            ByteBuffer.allocateDirect(3),
            ByteBuffer.allocate(100_000),
            ByteBuffer.allocateDirect(ROOM_BYTES)
        };
    }

    private static byte[] written(Object root) {
        ByteBuffer[] targets = buffers();
        int sizeBytes = (int) HEAPSPAN.encodeTo(root, targets);
        targets[0].flip().position(4);
        ByteBuffer all = ByteBuffer.allocate(sizeBytes);
        all.put(targets[0]);
        Arrays.stream(targets).skip(1).forEach(each -> all.put(each.flip()));
        assertThat(all.hasRemaining()).isFalse();
        return all.array();
    }

    private static int flags(byte[] image) {
        return (short) ImageFormat.SHORT.get(image, ImageFormat.FLAGS_OFFSET);
    }

    private static boolean saysNoBackReferences(byte[] image) {
        return (flags(image) & ImageFormat.FLAG_NO_BACK_REFERENCES) != 0;
    }

    private static Object[] checked(byte[] image) {
        return checked(HEAPSPAN.decode(image, Object[].class));
    }

    private static Object[] checked(Object[] copy) {
        assertThat(copy).hasSize(ELEMENTS + 3);
        for (int i = 0; i < ELEMENTS; i++) {
            assertThat(((Node) copy[i]).name).isEqualTo(name(i));
        }
        return copy;
    }

    @Test
    void treesSayThatTheyAreTrees() {
        byte[] image = written(tree());
        assertThat(image.length).isGreaterThan(4 * ImageFormat.FRAME_TARGET_BYTES);
        assertThat(flags(image))
                .isEqualTo(ImageFormat.FLAG_CHECKSUM
                        | ImageFormat.FLAG_RECORD_SCOPE
                        | ImageFormat.FLAG_NO_BACK_REFERENCES);
        checked(image);
        byte[] small = written(new Node("small", null));
        assertThat(saysNoBackReferences(small)).isTrue();
        assertThat(small).isEqualTo(HEAPSPAN.encode(new Node("small", null)));
    }

    /** Where a frame ends within one that nothing can refer to. */
    @Test
    void recordsOfAGroupMayEndFrames() {
        long[] numbers = new long[1 << 17];
        GroupWriter group = HEAPSPAN.groupWriter();
        // The latter of them cannot be written again from the beginning of the image.
        group.write(new Node("first", null));
        group.write(new Node("second", null));
        for (int i = 0; i < GROUP_ARRAYS; i++) {
            numbers[0] = i;
            group.write(numbers);
        }
        GroupReader reader = HEAPSPAN.groupReader(group.finish());
        assertThat(((Node) reader.next()).name).isEqualTo("first");
        assertThat(((Node) reader.next()).name).isEqualTo("second");
        for (int i = 0; i < GROUP_ARRAYS; i++) {
            assertThat((long[]) reader.next()).startsWith(i);
        }
    }

    /** It turns out only behind the first frames that the image is no tree, and there is a type that the first attempt has described. */
    @Test
    void objectsThatAreSharedStayShared() {
        Object[] graph = tree();
        graph[ELEMENTS] = new Late("late", graph[ELEMENTS / 2]);
        graph[ELEMENTS + 1] = graph[0];
        graph[ELEMENTS + 2] = graph[ELEMENTS];
        // The first by itself, the others after one that was no tree.
        for (int round = 0; round < 3; round++) {
            byte[] image = written(graph);
            assertThat(saysNoBackReferences(image)).isFalse();
            Object[] copy = checked(image);
            Late late = (Late) copy[ELEMENTS];
            assertThat(late.name).isEqualTo("late");
            assertThat(late.other).isSameAs(copy[ELEMENTS / 2]);
            assertThat(copy[ELEMENTS + 1]).isSameAs(copy[0]);
            assertThat(copy[ELEMENTS + 2]).isSameAs(late);
        }
    }

    @Test
    void codeOfTheUserRunsOnce() {
        Object[] graph = tree();
        graph[ELEMENTS] = new Hooked();
        graph[ELEMENTS + 1] = graph[ELEMENTS];
        Hooked.calls = 0;
        Object[] copy = checked(written(graph));
        assertThat(Hooked.calls).isEqualTo(1);
        assertThat(copy[ELEMENTS]).isInstanceOf(Hooked.class).isSameAs(copy[ELEMENTS + 1]);
    }

    /** They are tried again, less and less often if it is of no use. */
    @Test
    void rootsWithHooksDoNotKeepOthersFromTheBits() throws IOException {
        assumeTrue(Access.ADDRESS_BITS);
        ImageWriter writer = newWriter();
        FrameSink sink = (bytes, offset, length) -> {};
        Node plain = new Node("plain", null);
        Node hooked = new Node("hooked", new Hooked());
        assertThat(byBits(writer, hooked, sink)).isFalse();
        assertThat(recordsByTable(writer, plain, sink)).isLessThan(5);
        for (int i = 0; i < 20; i++) {
            assertThat(byBits(writer, hooked, sink)).isFalse();
        }
        assertThat(recordsByTable(writer, plain, sink)).isBetween(5, 1500);
        assertThat(recordsByTable(writer, plain, sink)).isLessThan(5);
    }

    /** How many go by the table until one is written by bits; a collection makes it one more. */
    private static int recordsByTable(ImageWriter writer, Object root, FrameSink sink) throws IOException {
        int records = 0;
        while (!byBits(writer, root, sink)) {
            records++;
        }
        return records;
    }

    @Test
    void whatFailsLateLeavesBuffersAsTheyWere() {
        Object[] graph = tree();
        graph[ELEMENTS] = graph[0];
        graph[ELEMENTS + 1] = Thread.currentThread();
        ByteBuffer[] targets = buffers();
        assertThatThrownBy(() -> HEAPSPAN.encodeTo(graph, targets)).isInstanceOf(HeapspanException.class);
        assertThat(targets[0].position()).isEqualTo(4);
        assertThat(Arrays.stream(targets).skip(1)).allMatch(each -> each.position() == 0);
        graph[ELEMENTS + 1] = null;
        assertThat(checked(written(graph))[ELEMENTS]).isNotNull();
    }

    /** Bits of 0 stand for a slot that another thread changed: no object must be known by them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlotThatChangedWhileItWasReadEndsTheAttempt(boolean tree) {
        assumeTrue(Access.ADDRESS_BITS);
        ImageWriter writer = newWriter();
        writer.beginBits(tree, Access.ADDRESSES.pauses());
        assertThatThrownBy(() -> writer.track(new Object(), 0)).isInstanceOf(Restart.class);
        assertThat(writer.restartReason()).isEqualTo(IdentityWriter.Reason.CHANGED);
    }

    private static ImageWriter newWriter() {
        return new ImageWriter(PolicyCodecRegistry.of(Mode.SERIAL, Map.of(), null), null, null, RawImageWriter::of);
    }

    /** Whether a writer has written a graph by the bits of its slots; a collection can be in the way. */
    private static boolean byBits(ImageWriter writer, Object root, FrameSink sink) throws IOException {
        writer.begin(ImageFormat.FLAG_RECORD_SCOPE, sink);
        writer.writeRecord(root);
        boolean byBits = writer.wantsBits();
        writer.endToSink();
        writer.release();
        return byBits;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void largeGraphsNeedNoOtherTableThanSmallOnes(boolean shared) throws IOException {
        assumeTrue(Access.ADDRESS_BITS);
        Object[] graph = tree();
        if (shared) {
            graph[ELEMENTS] = graph[ELEMENTS - 1];
        }
        ByteBuffer target = ByteBuffer.allocate(ROOM_BYTES);
        ImageWriter writer = newWriter();
        boolean done = false;
        // The writer keeps its large buffer, so that an attempt needs little memory; after a collection it lets some
        // records pass.
        for (int attempt = 0; attempt < 500 && !done; attempt++) {
            done = byBits(writer, graph, new BufferSink(target.clear()));
        }
        assertThat(done).isTrue();
        // What has left cannot be taken back.
        assertThat(byBits(newWriter(), graph, (bytes, offset, length) -> {})).isFalse();
    }
}
