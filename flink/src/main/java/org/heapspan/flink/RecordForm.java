package org.heapspan.flink;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.heapspan.image.format.ImageFormat;

/**
 * How a record lies between others. It is an object image ({@code docs/formats/image.md}) without all that its reader knows: the image header, the
 * frame header, the identity of the registry, and the numbers of its types if they are 0, 1, 2 and so on.
 *
 * <pre>
 * record = 0                                 null
 *        | 1 imageBytes:number image        an image of several frames: those of more than about 64 MB
 *        | head:number body                 the types of the body are those of the serializer, in their order
 *        | head:number typesBytes:number types body
 * head   = bodyBytes << 2 | hasTypes << 1 | hasBackReferences
 * </pre>
 *
 * <p>A {@code number} has 7 bits in each byte, the lowest first; the upper bit says that another byte follows. {@code types} are those of the
 * frame of the image, behind the identity of the registry: numbers, and descriptions of types that have none. A body has at least one byte, so
 * no head is 0 or 1.
 */
final class RecordForm {
    static final int NULL = 0;
    static final int IMAGE = 1;

    static final int HAS_BACK_REFERENCES = 1;
    static final int HAS_TYPES = 2;
    static final int BODY_SHIFT = 2;

    /** What an array can hold with some room before it. */
    private static final int MOST_BYTES = Integer.MAX_VALUE - (1 << 10);

    /** No number is longer: sizes have up to 31 bits, and a head has two more. */
    static final int MOST_NUMBER_BYTES = 5;

    /** The flags of every image of a record, but for {@code FLAG_NO_BACK_REFERENCES}. */
    static final int IMAGE_FLAGS = ImageFormat.FLAG_RECORD_SCOPE | ImageFormat.FLAG_REGISTRY;

    static final int FRAME = ImageFormat.IMAGE_HEADER_BYTES;
    static final int REGISTRY = FRAME + ImageFormat.FRAME_HEADER_BYTES;

    /** Where the numbers of types begin in an image. */
    static final int TYPES = REGISTRY + ImageFormat.REGISTRY_ID_BYTES;

    /** {@link #tag} knows the tags of so many types. */
    static final int MOST_TAGS = 1 << 14;

    /** A field of an image. */
    static final VarHandle IMAGE_INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

    private RecordForm() {}

    /**
     * Puts what an image of one frame has before the numbers of its types.
     *
     * @param typesBytes of these numbers
     */
    static void putHead(byte[] image, int typesBytes, int bodyBytes, boolean backReferences) {
        int flags = IMAGE_FLAGS | (backReferences ? 0 : ImageFormat.FLAG_NO_BACK_REFERENCES);
        ByteBuffer.wrap(image)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0, ImageFormat.MAGIC)
                .put(ImageFormat.VERSION_OFFSET, (byte) ImageFormat.VERSION)
                .put(ImageFormat.ENCODING_OFFSET, (byte) ImageFormat.ENCODING_COMPACT)
                .putShort(ImageFormat.FLAGS_OFFSET, (short) flags)
                .putInt(FRAME + ImageFormat.FRAME_BODY_BYTES_OFFSET, bodyBytes)
                .putInt(FRAME + ImageFormat.FRAME_TYPES_BYTES_OFFSET, ImageFormat.REGISTRY_ID_BYTES + typesBytes)
                .putInt(FRAME + ImageFormat.FRAME_CRC_OFFSET, 0)
                .putLong(REGISTRY, NumberedTypes.REGISTRY_ID.getMostSignificantBits())
                .putLong(REGISTRY + Long.BYTES, NumberedTypes.REGISTRY_ID.getLeastSignificantBits());
    }

    /** How a body begins if its record is an object of the type with a number. */
    static byte[] tag(int number) {
        ByteBuffer tag = ByteBuffer.allocate(3).order(ByteOrder.LITTLE_ENDIAN);
        putImageNumber(tag, ImageFormat.TAG_FIRST_DESCRIBED_TYPE + number);
        return Arrays.copyOf(tag.array(), tag.position());
    }

    /** Puts a number of less than 2^15 as images have it. */
    private static void putImageNumber(ByteBuffer target, int number) {
        if (number < 1 << 7) {
            target.put((byte) (number << 1 | 1));
        } else if (number < 1 << 14) {
            target.putShort((short) (number << 2 | 2));
        } else {
            target.put((byte) (number << 3 | 4)).putShort((short) (number >> 5));
        }
    }

    static int numberBytes(long number) {
        return (Long.SIZE - 1 - Long.numberOfLeadingZeros(number | 1)) / 7 + 1;
    }

    /**
     * Writes a number.
     *
     * @return the position behind it
     */
    static int putNumber(byte[] target, int position, long number) {
        int p = position;
        long rest = number;
        while (rest > 0x7F) {
            target[p++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[p++] = (byte) rest;
        return p;
    }

    static long readNumber(DataInputView source) throws IOException {
        byte next = source.readByte();
        long number = next & 0x7F;
        for (int shift = 7; next < 0; shift += 7) {
            if (shift == 7 * MOST_NUMBER_BYTES) {
                throw new IOException("a record of Heapspan begins with a number of more than " + MOST_NUMBER_BYTES
                        + " bytes: the bytes are damaged, or another serializer wrote them");
            }
            next = source.readByte();
            number |= (long) (next & 0x7F) << shift;
        }
        return number;
    }

    /** Reads a number of bytes that must fit into an array. */
    static int readSize(DataInputView source) throws IOException {
        return checkedSize(readNumber(source));
    }

    static int checkedSize(long sizeBytes) throws IOException {
        if (sizeBytes > MOST_BYTES) {
            throw new IOException("a record of Heapspan claims " + sizeBytes + " bytes, the limit is " + MOST_BYTES
                    + ": the bytes are damaged, or another serializer wrote them");
        }
        return (int) sizeBytes;
    }
}
