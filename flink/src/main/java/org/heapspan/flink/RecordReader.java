package org.heapspan.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.heapspan.BodyReader;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/** Reads records ({@link RecordForm}). Not thread-safe. */
final class RecordReader {
    /** So many bytes are believed in before they have come. */
    private static final int BELIEVED_BYTES = 1 << 16;

    private static final int FIRST_BYTES = 256;

    /** The reader of a body looks at bytes behind it. */
    private static final int PADDING_BYTES = 64;

    private static final int COPIED_BYTES = 8 << 10;

    private static final byte[] NOTHING = {};

    private final RecordEngine engine;
    private final BodyReader bodies;

    /** Has a body, and space behind it. */
    private byte[] body = new byte[FIRST_BYTES];

    /** An image of a record that has types of its own. */
    private byte[] other = NOTHING;

    RecordReader(RecordEngine engine) {
        this.engine = engine;
        bodies = engine.newReader();
    }

    @Nullable
    Object read(DataInputView source) throws IOException {
        long head = RecordForm.readNumber(source);
        if (head == RecordForm.NULL) {
            return null;
        }
        if (head == RecordForm.IMAGE) {
            return readImage(RecordForm.readSize(source), source);
        }
        int bodyBytes = checkedBody(head);
        boolean backReferences = (head & RecordForm.HAS_BACK_REFERENCES) != 0;
        if ((head & RecordForm.HAS_TYPES) != 0) {
            return readWithTypes(bodyBytes, backReferences, source);
        }
        byte[] bytes = body;
        if (bodyBytes <= bytes.length - PADDING_BYTES) {
            source.readFully(bytes, 0, bodyBytes);
        } else {
            bytes = read(bytes, 0, bodyBytes, source);
            body = bytes;
        }
        Object record = bodies.read(bytes, 0, bodyBytes, backReferences);
        if (bytes.length > RecordEngine.MOST_KEPT_BYTES) {
            body = new byte[FIRST_BYTES];
            bodies.release();
        }
        return record;
    }

    private static int checkedBody(long head) throws IOException {
        int bodyBytes = RecordForm.checkedSize(head >>> RecordForm.BODY_SHIFT);
        if (bodyBytes == 0) {
            throw new IOException("a record of Heapspan begins with " + head
                    + ", which is no head of one: the bytes are damaged, or another serializer wrote them");
        }
        return bodyBytes;
    }

    private @Nullable Object readImage(int imageBytes, DataInputView source) throws IOException {
        byte[] bytes = read(NOTHING, 0, imageBytes, source);
        if (imageBytes < ImageFormat.IMAGE_HEADER_BYTES
                || bytes[ImageFormat.ENCODING_OFFSET] != ImageFormat.ENCODING_COMPACT) {
            // A raw image is trusted like memory, which damaged bytes must not be.
            throw new IOException(
                    "a record of Heapspan is an image, and not in the compact encoding: the bytes are damaged, or another"
                            + " serializer wrote them");
        }
        return engine.decode(ByteBuffer.wrap(bytes, 0, imageBytes));
    }

    private @Nullable Object readWithTypes(int bodyBytes, boolean backReferences, DataInputView source)
            throws IOException {
        int typesBytes = RecordForm.readSize(source);
        int following = RecordForm.checkedSize((long) typesBytes + bodyBytes);
        byte[] bytes = read(other, RecordForm.TYPES, following, source);
        other = bytes.length > RecordEngine.MOST_KEPT_BYTES ? NOTHING : bytes;
        RecordForm.putHead(bytes, typesBytes, bodyBytes, backReferences);
        return engine.decode(ByteBuffer.wrap(bytes, 0, RecordForm.TYPES + following));
    }

    /**
     * Reads bytes into an array that grows as they come, so that a false length costs little memory.
     *
     * @param start where they go; what is before it is kept
     * @return the array, or a longer one
     */
    private static byte[] read(byte[] array, int start, int sizeBytes, DataInputView source) throws IOException {
        byte[] bytes = array;
        int have = 0;
        while (have < sizeBytes) {
            int step = Math.min(sizeBytes - have, Math.max(have, BELIEVED_BYTES));
            int end = start + have + step;
            if (end > bytes.length) {
                // Records of growing sizes come: room for some more of them.
                bytes = Arrays.copyOf(bytes, Math.max(end + PADDING_BYTES, Math.min(2 * bytes.length, BELIEVED_BYTES)));
            }
            source.readFully(bytes, start + have, step);
            have += step;
        }
        return bytes;
    }

    /** Copies a record without reading what is in it. */
    static void copy(DataInputView source, DataOutputView target) throws IOException {
        long head = RecordForm.readNumber(source);
        writeNumber(head, target);
        if (head == RecordForm.NULL) {
            return;
        }
        long following = head == RecordForm.IMAGE ? 0 : checkedBody(head);
        if (head == RecordForm.IMAGE || (head & RecordForm.HAS_TYPES) != 0) {
            int sizeBytes = RecordForm.readSize(source);
            writeNumber(sizeBytes, target);
            following += sizeBytes;
        }
        copy(RecordForm.checkedSize(following), source, target);
    }

    /** Copies bytes. Flink's {@code write(DataInputView, int)} fails if a growing target has no room for them. */
    private static void copy(int sizeBytes, DataInputView source, DataOutputView target) throws IOException {
        byte[] part = new byte[Math.min(sizeBytes, COPIED_BYTES)];
        int left = sizeBytes;
        while (left > 0) {
            int step = Math.min(left, part.length);
            source.readFully(part, 0, step);
            target.write(part, 0, step);
            left -= step;
        }
    }

    private static void writeNumber(long number, DataOutputView target) throws IOException {
        byte[] bytes = new byte[RecordForm.MOST_NUMBER_BYTES];
        target.write(bytes, 0, RecordForm.putNumber(bytes, 0, number));
    }
}
