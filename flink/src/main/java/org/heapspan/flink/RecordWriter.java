package org.heapspan.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.core.memory.DataOutputView;
import org.heapspan.BodyWriter;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/** Writes records ({@link RecordForm}). Not thread-safe. */
final class RecordWriter {
    private static final byte[] NULL = {RecordForm.NULL};

    private final RecordEngine engine;

    /** The class of the records if it is a tree ({@link ClassFacts#isTree}): equal objects of it have equal bytes. */
    private final @Nullable Class<?> tree;

    private BodyWriter writer;

    /** Whether such an object has had one string in two fields. From then on, all are written as if they had two strings. */
    private boolean repeats;

    // The latest record.
    private byte[] bytes = NULL;
    private int start;
    private int end;

    RecordWriter(RecordEngine engine, @Nullable Class<?> tree) {
        this.engine = engine;
        this.tree = tree;
        writer = engine.newWriter();
    }

    void write(@Nullable Object record, DataOutputView target) throws IOException {
        encode(record);
        target.write(bytes, start, end - start);
        if (end - start > RecordEngine.MOST_KEPT_BYTES) {
            release();
        }
    }

    /** Encodes a record. It lies between {@link #start} and {@link #end} of {@link #bytes} until the next one. */
    void encode(@Nullable Object record) {
        if (record == null) {
            set(NULL, 0, 1);
            return;
        }
        BodyWriter body = writer;
        if (!encode(record, body)) {
            encodeImage(body.image());
            return;
        }
        int bodyBytes = body.length();
        int bodyStart = body.offset();
        long head = (long) bodyBytes << RecordForm.BODY_SHIFT
                | (body.hasBackReferences() ? RecordForm.HAS_BACK_REFERENCES : 0);
        byte[] array = body.array();
        int headStart = bodyStart - RecordForm.numberBytes(head);
        RecordForm.putNumber(array, headStart, head);
        set(array, headStart, bodyStart + bodyBytes);
    }

    /** Whether the body is enough. */
    private boolean encode(Object record, BodyWriter body) {
        boolean ofTree = record.getClass() == tree;
        if (ofTree && repeats) {
            return body.writeRepeating(record);
        }
        boolean isEnough = body.write(record);
        if (!ofTree || !body.hasBackReferences()) {
            return isEnough;
        }
        repeats = true;
        return body.writeRepeating(record);
    }

    private void set(byte[] newBytes, int newStart, int newEnd) {
        if (bytes != newBytes) {
            // To store a reference costs more, because of the collector's barriers.
            bytes = newBytes;
        }
        start = newStart;
        end = newEnd;
    }

    byte[] bytes() {
        return bytes;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    /** Lets go of a large record. */
    void release() {
        set(NULL, 0, 1);
        writer = engine.newWriter();
    }

    /** Encodes a record with types that are not the first ones of the serializer, in their order, or with more than one frame. */
    private void encodeImage(ByteBuffer buffer) {
        byte[] image = buffer.array();
        int imageStart = buffer.arrayOffset() + buffer.position();
        int imageBytes = buffer.remaining();
        int flags = image[imageStart + ImageFormat.FLAGS_OFFSET] & 0xFF
                | image[imageStart + ImageFormat.FLAGS_OFFSET + 1] << 8;
        int frame = imageStart + RecordForm.FRAME;
        int bodyBytes = (int) RecordForm.IMAGE_INT.get(image, frame + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        int typesBytes = (int) RecordForm.IMAGE_INT.get(image, frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
        if ((flags & ~ImageFormat.FLAG_NO_BACK_REFERENCES) != RecordForm.IMAGE_FLAGS
                || RecordForm.REGISTRY + typesBytes + bodyBytes != imageBytes) {
            encodeFrames(image, imageStart, imageBytes);
            return;
        }
        long head = (long) bodyBytes << RecordForm.BODY_SHIFT
                | RecordForm.HAS_TYPES
                | ((flags & ImageFormat.FLAG_NO_BACK_REFERENCES) != 0 ? 0 : RecordForm.HAS_BACK_REFERENCES);
        // There is room: the headers of the image lie here, which nobody needs any more.
        int numbersBytes = typesBytes - ImageFormat.REGISTRY_ID_BYTES;
        int numbersStart = imageStart + RecordForm.TYPES - RecordForm.numberBytes(numbersBytes);
        RecordForm.putNumber(image, numbersStart, numbersBytes);
        int headStart = numbersStart - RecordForm.numberBytes(head);
        RecordForm.putNumber(image, headStart, head);
        set(image, headStart, imageStart + imageBytes);
    }

    private void encodeFrames(byte[] image, int imageStart, int imageBytes) {
        byte[] record = new byte[1 + RecordForm.MOST_NUMBER_BYTES + imageBytes];
        record[0] = RecordForm.IMAGE;
        int headEnd = RecordForm.putNumber(record, 1, imageBytes);
        System.arraycopy(image, imageStart, record, headEnd, imageBytes);
        set(record, 0, headEnd + imageBytes);
    }
}
