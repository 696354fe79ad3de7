package org.heapspan;

import java.nio.ByteBuffer;
import org.heapspan.image.engine.ImageEngine;
import org.heapspan.image.engine.RecordGroupWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes many records as self-contained groups. In the scope {@link IdentityScope#RECORD} a record shares nothing with other records, and the caller may
 * change and reuse it. In {@link IdentityScope#GROUP} objects that several records refer to stay shared. In both scopes a record is encoded at once.
 * Classes are described once for each group.
 *
 * <p>Writing allocates nothing for a record once the buffer of the group has grown to its size (4 KB at first). In the scope of a group the same holds for
 * the table of its objects. Not thread-safe.
 */
public final class GroupWriter {
    private final RecordGroupWriter writer;

    GroupWriter(ImageEngine engine, Encoding encoding, IdentityScope scope) {
        writer = new RecordGroupWriter(engine, encoding, scope);
    }

    /**
     * Adds a record to the current group.
     *
     * @param record the record, or null
     * @throws HeapspanException as {@link Heapspan#encode(Object)}; of category LIMIT also if the group would become longer than it may, at most
     *     some 2 GB; the group and what it shares are as they were before the call
     */
    public void write(@Nullable Object record) {
        writer.write(record);
    }

    /**
     * Adds records to the current group; the same as {@link #write} for each, and faster.
     *
     * @param records the records, each of which may be null
     * @throws HeapspanException as {@link #write}; records before the one that failed may be in the group, and {@link #recordCount} says how
     *     many the group has
     */
    public void writeAll(@Nullable Object[] records) {
        writer.writeAll(records);
    }

    /**
     * Limits the length of this and all further groups: a record that would make a group longer is refused, as soon as that is known. A group may
     * exceed the limit by up to a megabyte.
     *
     * @param mostBytes how long a group may become; at most 2 GB less 4 MB, which is where the limit is at first
     * @throws HeapspanException of category USAGE if the group has records
     */
    public void limitTo(long mostBytes) {
        writer.limitTo(mostBytes);
    }

    /**
     * How many records the current group has.
     *
     * @return records
     */
    public int recordCount() {
        return writer.recordCount();
    }

    /**
     * How many bytes the current group would have, up to a few dozen.
     *
     * @return bytes
     */
    public long sizeBytes() {
        return writer.sizeBytes();
    }

    /**
     * Ends the current group and begins the next, without copying the bytes.
     *
     * @return the group's bytes between position and limit of a heap buffer; they are overwritten by the next call of
     *     {@link #write}
     */
    public ByteBuffer finishInPlace() {
        return writer.finishInPlace();
    }

    /**
     * Ends the current group and begins the next.
     *
     * @return the group's bytes, which {@link Heapspan#groupReader} reads
     */
    public byte[] finish() {
        return writer.finish();
    }
}
