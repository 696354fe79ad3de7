package org.heapspan.flink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes records for all serializers of a type in a class loader that have the same numbers for classes. Thread-safe. */
final class RecordEngine {
    /** A buffer of this size is kept for the next record, a larger one is not. */
    static final int MOST_KEPT_BYTES = 1 << 20;

    private final Heapspan heapspan;

    /** What an image has before its body if it has all types in their order. */
    private final byte[] usualHead;

    /**
     * Creates an engine.
     *
     * @param types the classes that have numbers
     * @param loader where classes are found
     */
    RecordEngine(NumberedTypes types, ClassLoader loader) {
        // Flink's transports and files are trusted as its Kryo trusts them. They have checksums of their own where they
        // need some.
        heapspan = Heapspan.builder()
                .checksum(false)
                .typeRegistry(types.registry())
                .classLoader(loader)
                .build();
        usualHead = usualHead(types.count());
    }

    private static byte[] usualHead(int typeCount) {
        byte[] numbers = RecordForm.usualTypes(typeCount);
        byte[] head = new byte[RecordForm.TYPES + numbers.length];
        putHead(head, numbers.length);
        System.arraycopy(numbers, 0, head, RecordForm.TYPES, numbers.length);
        return head;
    }

    /** Puts an image header, a frame header and the identity of the registry. {@link #putBody} completes them. */
    static void putHead(byte[] image, int typesBytes) {
        ByteBuffer.wrap(image)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0, ImageFormat.MAGIC)
                .put(ImageFormat.VERSION_OFFSET, (byte) ImageFormat.VERSION)
                .put(ImageFormat.ENCODING_OFFSET, (byte) ImageFormat.ENCODING_COMPACT)
                .putInt(
                        RecordForm.FRAME + ImageFormat.FRAME_TYPES_BYTES_OFFSET,
                        ImageFormat.REGISTRY_ID_BYTES + typesBytes)
                .putInt(RecordForm.FRAME + ImageFormat.FRAME_CRC_OFFSET, 0)
                .putLong(RecordForm.REGISTRY, FixedRegistry.ID.getMostSignificantBits())
                .putLong(RecordForm.REGISTRY + Long.BYTES, FixedRegistry.ID.getLeastSignificantBits());
    }

    /** Puts what differs between images of the same types. */
    static void putBody(byte[] image, int bodyBytes, boolean backReferences) {
        int flags = RecordForm.IMAGE_FLAGS | (backReferences ? 0 : ImageFormat.FLAG_NO_BACK_REFERENCES);
        image[ImageFormat.FLAGS_OFFSET] = (byte) flags;
        image[ImageFormat.FLAGS_OFFSET + 1] = (byte) (flags >> 8);
        RecordForm.IMAGE_INT.set(image, RecordForm.FRAME + ImageFormat.FRAME_BODY_BYTES_OFFSET, bodyBytes);
    }

    byte[] usualHead() {
        return usualHead;
    }

    GroupWriter newGroup() {
        return heapspan.groupWriter();
    }

    @Nullable
    Object decode(ByteBuffer image) {
        return heapspan.decodeTrustedFrom(image, Object.class);
    }

    <T extends @Nullable Object> T copy(T original) {
        return heapspan.copy(original);
    }

    /**
     * Tries whether objects of all types can be read here, with the code that reads them.
     *
     * @param typeCount how many types there are
     * @return what is wrong with one, or null
     */
    @Nullable
    String refusal(int typeCount) {
        int most = Math.min(typeCount, RecordForm.MOST_USUAL_TYPES);
        for (int number = 0; number < most; number++) {
            byte[] tag = RecordForm.tag(number);
            byte[] image = Arrays.copyOf(usualHead, usualHead.length + tag.length);
            System.arraycopy(tag, 0, image, usualHead.length, tag.length);
            putBody(image, tag.length, true);
            try {
                decode(ByteBuffer.wrap(image));
            } catch (HeapspanException e) {
                // An object of which no byte has come is malformed. By then its class has been found, and compared.
                if (e.category() != Category.MALFORMED) {
                    return e.getMessage();
                }
            }
        }
        return null;
    }
}
