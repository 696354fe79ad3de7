package org.heapspan;

import java.nio.ByteBuffer;
import org.heapspan.image.engine.ImageEngine;
import org.heapspan.image.engine.RecordBodyWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes records one by one, each without the headers of an image. It is for hosts that store or send many small records, and whose readers have
 * the same {@link TypeRegistry}. A {@link BodyReader} reads what this writes.
 *
 * <p>The types of a record have the numbers 0, 1, 2 and so on, in the order in which the record has them first. If these are also their numbers
 * in the registry, the body is enough to read the record. Otherwise {@link #image} is needed, which describes the types.
 *
 * <p>Writing a record allocates no memory when the buffer has grown to the size of the records. Not thread-safe.
 */
public final class BodyWriter {
    private final RecordBodyWriter writer;

    BodyWriter(ImageEngine engine, int typeCount) {
        writer = new RecordBodyWriter(engine, typeCount);
    }

    /**
     * Writes a record. It takes the place of the one before.
     *
     * @param record the record, or null
     * @return whether the body is enough for a {@link BodyReader}. If not, use {@link #image}
     * @throws HeapspanException as {@link Heapspan#encode(Object)}
     */
    public boolean write(@Nullable Object record) {
        return writer.write(record);
    }

    /**
     * Writes a record as {@link #write}, but each object anew for each reference to it. So equal records have equal bodies, whether two equal
     * strings in them are one object or two. Do not pass a record with a cycle: the call would write until memory is used up.
     *
     * @param record the record, or null
     * @return what {@link #write} returns
     * @throws HeapspanException as {@link #write}
     */
    public boolean writeRepeating(@Nullable Object record) {
        return writer.writeRepeating(record);
    }

    /**
     * Returns the array that has the body of the latest record. The caller may change it before the next call of {@link #write}, also up to 64
     * bytes before the body: there is room for a header of the caller.
     *
     * @return the array
     */
    public byte[] array() {
        return writer.array();
    }

    /**
     * Returns where the body begins.
     *
     * @return position in {@link #array}
     */
    public int offset() {
        return writer.offset();
    }

    /**
     * Returns the length of the body.
     *
     * @return bytes
     */
    public int length() {
        return writer.length();
    }

    /**
     * Returns whether the record refers to an object more than once. The reader has to know.
     *
     * @return whether it does
     */
    public boolean hasBackReferences() {
        return writer.hasBackReferences();
    }

    /**
     * Returns the latest record as an image, which {@link Heapspan#decodeTrustedFrom(ByteBuffer, Class)} reads. To be called once at most, and
     * only if {@link #write} has returned false.
     *
     * @return the image between position and limit of a heap buffer; it is overwritten by the next call of {@link #write}
     */
    public ByteBuffer image() {
        return writer.image();
    }

    /** Releases memory and all references to objects and classes. The writer can be used again. */
    public void release() {
        writer.release();
    }
}
