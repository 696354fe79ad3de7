package org.heapspan.exchange.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.heapspan.Heapspan;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.Access;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bytes of an image that its writer can change until it is complete. */
@Tag("once")
final class ImageBytesTest {
    private static final int FIRST_BLOCKS_BYTES = 4 << 10 | 16 << 10;

    private final byte[] some = new byte[3 * ImageFormat.FRAME_TARGET_BYTES];

    ImageBytesTest() {
        new Random(3).nextBytes(some);
    }

    private static byte[] all(ImageBytes bytes) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        bytes.forEachBlock(block -> {
            byte[] copy = new byte[block.remaining()];
            block.get(copy);
            all.writeBytes(copy);
        });
        return all.toByteArray();
    }

    private static void assertHolds(byte[] expected, ImageBytes bytes) throws IOException {
        CRC32C checksum = new CRC32C();
        checksum.update(expected);
        assertThat(all(bytes)).isEqualTo(expected);
        assertThat(bytes.sizeBytes()).isEqualTo(expected.length);
        assertThat(bytes.checksum()).isEqualTo((int) checksum.getValue());
        assertThat(bytes.whole()).isEqualTo(ByteBuffer.wrap(expected));
    }

    @Test
    void bytesChangeInEachBlock() throws IOException {
        ImageBytes bytes = new ImageBytes();
        assertHolds(new byte[0], bytes);
        bytes.write(some, 0, some.length);
        assertHolds(some, bytes);
        for (int at : new int[] {0, 4095, 4096, FIRST_BLOCKS_BYTES - 1, FIRST_BLOCKS_BYTES, some.length - 1}) {
            some[at]++;
            bytes.replace(at, some[at]);
            assertHolds(some, bytes);
        }
        bytes.takeBack();
        assertHolds(new byte[0], bytes);
        bytes.write(some, 0, some.length);
        assertHolds(some, bytes);
    }

    /** What the header says about the whole image is known at its end. */
    @Test
    void aTreeOfSeveralFramesSaysThatItIsOne() throws IOException {
        assumeTrue(Access.ADDRESS_BITS, "does not apply: this JVM has no bits of slots");
        String[] tree = new String[20_000];
        for (int i = 0; i < tree.length; i++) {
            tree[i] = "a string of some length, number " + i;
        }
        Heapspan heapspan = Heapspan.create();
        // A collection in the middle ends an attempt, so there are several.
        boolean found = false;
        for (int i = 0; i < 20 && !found; i++) {
            ImageBytes bytes = new ImageBytes();
            heapspan.encodeTo(tree, bytes);
            byte[] image = all(bytes);
            assertThat(image.length).isGreaterThan(2 * ImageFormat.FRAME_TARGET_BYTES);
            assertHolds(image, bytes);
            assertThat(heapspan.decode(image, String[].class)).isEqualTo(tree);
            int flags = (short) ImageFormat.SHORT.get(image, ImageFormat.FLAGS_OFFSET);
            found = (flags & ImageFormat.FLAG_NO_BACK_REFERENCES) != 0;
        }
        assertThat(found).isTrue();
    }
}
