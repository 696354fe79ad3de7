package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Headers of chunks that were altered on the way, in images without checksums. */
@Tag("once")
@DisabledIfSystemProperty(named = "heapspan.access", matches = "unsafe|reflection")
final class RawAlteredImageTest {
    private static final Heapspan UNCHECKED = Heapspan.builder().checksum(false).build();

    /** Where the header of the first chunk begins, if no types are described. */
    private static final int FIRST_CHUNK =
            ImageFormat.IMAGE_HEADER_BYTES + ImageFormat.FRAME_HEADER_BYTES + RawFormat.LAYOUT_BYTES;

    private static ByteBuffer view(byte[] image) {
        return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void refusesConstantsThatReachIntoTheNextFrame() {
        GroupWriter writer = UNCHECKED.groupWriter(Encoding.RAW);
        writer.write(null);
        writer.write(new long[100_000]);
        byte[] group = writer.finish();
        ByteBuffer view = view(group);
        int bodyBytes = view.getInt(ImageFormat.IMAGE_HEADER_BYTES + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        assertThat(bodyBytes).as("body of the first of several frames").isLessThan(group.length / 2);
        assertThat(view.getInt(FIRST_CHUNK + RawFormat.CONSTANTS_OFFSET)).isZero();
        view.putInt(FIRST_CHUNK + RawFormat.CONSTANTS_OFFSET, 1);
        assertThatThrownBy(() -> {
                    GroupReader reader = UNCHECKED.trustedGroupReader(group);
                    while (reader.hasNext()) {
                        reader.next();
                    }
                })
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.MALFORMED))
                .hasMessageContaining("reach beyond its frame");
    }

    /** With class words of 8 bytes elements begin behind what the smallest object takes. */
    @Test
    void refusesArraysWhoseHeadIsCutOff() throws Exception {
        JavaProcess.Result result = JavaProcess.run(Writer.class, List.of("-XX:-UseCompressedClassPointers"));
        byte[] image = HexFormat.of().parseHex(result.value("image"));
        assertThat((long[]) UNCHECKED.decodeTrusted(image, Object.class)).containsExactly(1, 2, 3);
        ByteBuffer view = view(image);
        view.putInt(FIRST_CHUNK + RawFormat.UNIT_COUNT_OFFSET, 2);
        assertThatThrownBy(() -> UNCHECKED.decodeTrusted(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.MALFORMED))
                .hasMessageContaining("[J");
    }

    /** Main class of a JVM of another layout. */
    public static final class Writer {
        private Writer() {}

        /** Prints an image. */
        @SuppressWarnings("SystemOut") // Read by the test.
        public static void main(String[] arguments) {
            byte[] image = UNCHECKED.encode(new long[] {1, 2, 3}, Encoding.RAW);
            System.out.println("image=" + HexFormat.of().formatHex(image));
        }
    }
}
