package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Large primitive arrays in buffers outside the Java heap, whose frames are copied to the array at once. */
final class FrameInputTest {
    private static final int LENGTH = 300_001;

    private final Heapspan heapspan = Heapspan.create();

    static Stream<Object> arrays() {
        Random random = new Random(1);
        byte[] bytes = new byte[8 * LENGTH];
        random.nextBytes(bytes);
        ByteBuffer all = ByteBuffer.wrap(bytes);
        boolean[] booleans = new boolean[LENGTH];
        char[] chars = new char[LENGTH];
        short[] shorts = new short[LENGTH];
        int[] ints = new int[LENGTH];
        float[] floats = new float[LENGTH];
        long[] longs = new long[LENGTH];
        double[] doubles = new double[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            booleans[i] = random.nextBoolean();
        }
        all.asCharBuffer().get(chars);
        all.asShortBuffer().get(shorts);
        all.asIntBuffer().get(ints);
        all.asFloatBuffer().get(floats);
        all.asLongBuffer().get(longs);
        all.asDoubleBuffer().get(doubles);
        return Stream.of(bytes, booleans, chars, shorts, ints, floats, longs, doubles);
    }

    /** In many frames, because it is written to a stream. */
    private static byte[] encoded(Heapspan heapspan, Object graph) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        heapspan.encodeTo(graph, bytes);
        return bytes.toByteArray();
    }

    private static ByteBuffer direct(byte[] image, int from, int to) {
        return ByteBuffer.allocateDirect(to - from).put(image, from, to - from).flip();
    }

    /** In one buffer, and in two that are split within a header, within a frame, and within an element. */
    @ParameterizedTest
    @MethodSource("arrays")
    void anArrayIsAsItWas(Object array) throws IOException {
        // The strings take frames of their own, before the array and behind it.
        Object[] graph = {"before", array, "behind", array};
        for (boolean checksum : new boolean[] {true, false}) {
            Heapspan own = Heapspan.builder().checksum(checksum).build();
            byte[] image = encoded(own, graph);
            int middle = image.length / 2;
            for (int cut : new int[] {0, 7, 20, middle, middle + 3, image.length - 9, image.length}) {
                ByteBuffer[] buffers = {direct(image, 0, cut), direct(image, cut, image.length)};
                Object[] copy = own.decodeFrom(buffers, Object[].class);
                assertThat(Arrays.deepEquals(copy, graph)).as("cut at %d", cut).isTrue();
                assertThat(copy[3]).isSameAs(copy[1]);
            }
        }
    }

    @Test
    void alteredBytesAreRefused() throws IOException {
        byte[] image = encoded(heapspan, new long[LENGTH]);
        for (int at = 40; at < image.length; at += image.length / 50) {
            byte[] altered = image.clone();
            altered[at] ^= 1;
            assertThatThrownBy(() ->
                            heapspan.decodeFrom(new ByteBuffer[] {direct(altered, 0, altered.length)}, long[].class))
                    .as("byte %d", at)
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("checksum");
        }
    }

    @Test
    void anArrayThatEndsTooEarlyIsRefused() throws IOException {
        byte[] image = encoded(heapspan, new long[LENGTH]);
        for (int length : new int[] {image.length - 1, image.length / 2, 300_000}) {
            assertThatThrownBy(() -> heapspan.decodeFrom(new ByteBuffer[] {direct(image, 0, length)}, long[].class))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageMatching("(?s).*(missing|truncated).*");
        }
    }

    @Test
    void theLimitOfBytesHolds() throws IOException {
        byte[] image = encoded(heapspan, new long[LENGTH]);
        Heapspan limited = Heapspan.builder().maxBytes(8L * LENGTH / 2).build();
        assertThatThrownBy(() -> limited.decodeFrom(new ByteBuffer[] {direct(image, 0, image.length)}, long[].class))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("maxBytes");
    }
}
