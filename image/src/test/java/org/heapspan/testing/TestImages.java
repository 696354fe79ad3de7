package org.heapspan.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Makes images byte by byte, such as no writer would. */
public final class TestImages {
    private TestImages() {}

    /** An image without checksum of one frame without described types. */
    public static byte[] image(byte[] body) {
        return image(new byte[0], body);
    }

    /** An image without checksum of one frame. */
    public static byte[] image(byte[] types, byte[] body) {
        return image(2, types, body);
    }

    /** An image without checksum of one frame, with descriptions of types. */
    public static byte[] image(int flags, byte[] types, byte[] body) {
        return ByteBuffer.allocate(20 + types.length + body.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(new byte[] {'H', 'S', 'P', 'I', 1, 1, (byte) flags, 0})
                .putInt(body.length)
                .putInt(types.length)
                .putInt(0)
                .put(types)
                .put(body)
                .array();
    }

    /** Numbers in the format's encoding, one after the other. */
    public static byte[] numbers(long... values) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long value : values) {
            int sizeBytes = 1;
            while (sizeBytes < 9 && value >>> (7 * sizeBytes) != 0) {
                sizeBytes++;
            }
            if (sizeBytes == 9) {
                bytes.write(0);
                for (int i = 0; i < 8; i++) {
                    bytes.write((int) (value >>> (8 * i)));
                }
            } else {
                long encoded = (value << sizeBytes) | 1L << (sizeBytes - 1);
                for (int i = 0; i < sizeBytes; i++) {
                    bytes.write((int) (encoded >>> (8 * i)));
                }
            }
        }
        return bytes.toByteArray();
    }

    /** An image without checksum of one frame, with another description in place of the first of its types. */
    public static byte[] replaced(byte[] image, byte[] description, byte[] replacement) {
        int typesAt = 20;
        if (!Arrays.equals(image, typesAt, typesAt + description.length, description, 0, description.length)) {
            throw new IllegalArgumentException("the image begins with another type");
        }
        int typesBytes = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).getInt(12);
        byte[] types = Arrays.copyOf(replacement, replacement.length + typesBytes - description.length);
        System.arraycopy(
                image, typesAt + description.length, types, replacement.length, typesBytes - description.length);
        return image(types, Arrays.copyOfRange(image, typesAt + typesBytes, image.length));
    }
}
