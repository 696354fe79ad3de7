package org.heapspan.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.core.memory.DataOutputView;
import org.heapspan.GroupWriter;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/** Writes records ({@link RecordForm}). Not thread-safe. */
final class RecordWriter {
    private final RecordEngine engine;
    private GroupWriter group;

    RecordWriter(RecordEngine engine) {
        this.engine = engine;
        group = engine.newGroup();
    }

    void write(@Nullable Object record, DataOutputView target) throws IOException {
        if (record == null) {
            target.writeByte(RecordForm.NULL);
            return;
        }
        group.write(record);
        ByteBuffer image = group.finishInPlace();
        write(image.array(), image.arrayOffset() + image.position(), image.remaining(), target);
        if (image.remaining() > RecordEngine.MOST_KEPT_BYTES) {
            group = engine.newGroup();
        }
    }

    /** Writes an image, in whose array the bytes before the body may be overwritten. */
    private void write(byte[] image, int start, int imageBytes, DataOutputView target) throws IOException {
        int flags = image[start + ImageFormat.FLAGS_OFFSET] & 0xFF | image[start + ImageFormat.FLAGS_OFFSET + 1] << 8;
        int frame = start + RecordForm.FRAME;
        int bodyBytes = (int) RecordForm.IMAGE_INT.get(image, frame + ImageFormat.FRAME_BODY_BYTES_OFFSET);
        int typesBytes = (int) RecordForm.IMAGE_INT.get(image, frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
        if ((flags & ~ImageFormat.FLAG_NO_BACK_REFERENCES) != RecordForm.IMAGE_FLAGS
                || RecordForm.REGISTRY + typesBytes + bodyBytes != imageBytes) {
            writeImage(image, start, imageBytes, target);
            return;
        }
        int end = start + imageBytes;
        int bodyStart = end - bodyBytes;
        int typesStart = start + RecordForm.TYPES;
        boolean usual = typesBytes == 0 || isUsual(image, typesStart, bodyStart);
        long head = (long) bodyBytes << RecordForm.BODY_SHIFT
                | (usual ? 0 : RecordForm.HAS_TYPES)
                | ((flags & ImageFormat.FLAG_NO_BACK_REFERENCES) != 0 ? 0 : RecordForm.HAS_BACK_REFERENCES);
        int contentStart = bodyStart;
        if (!usual) {
            int numbersBytes = bodyStart - typesStart;
            contentStart = typesStart - RecordForm.numberBytes(numbersBytes);
            RecordForm.putNumber(image, contentStart, numbersBytes);
        }
        // There is room: the headers of the image lie here, which nobody needs any more.
        int recordStart = contentStart - RecordForm.numberBytes(head);
        RecordForm.putNumber(image, recordStart, head);
        target.write(image, recordStart, end - recordStart);
    }

    /** Whether types are the first ones of the serializer. */
    private boolean isUsual(byte[] image, int typesStart, int typesEnd) {
        byte[] usual = engine.usualHead();
        int usualEnd = RecordForm.TYPES + typesEnd - typesStart;
        return usualEnd <= usual.length
                && Arrays.equals(usual, RecordForm.TYPES, usualEnd, image, typesStart, typesEnd);
    }

    private static void writeImage(byte[] image, int start, int imageBytes, DataOutputView target) throws IOException {
        byte[] head = new byte[1 + RecordForm.MOST_NUMBER_BYTES];
        head[0] = RecordForm.IMAGE;
        target.write(head, 0, RecordForm.putNumber(head, 1, imageBytes));
        target.write(image, start, imageBytes);
    }
}
