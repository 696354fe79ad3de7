package org.heapspan;

import java.nio.ByteBuffer;
import org.heapspan.image.engine.ImageEngine;
import org.heapspan.image.engine.RecordGroupWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes many records as self-contained groups. With {@link IdentityScope#RECORD} records do not share objects, and the caller may change and
 * reuse a record after writing it. With {@link IdentityScope#GROUP} objects that several records refer to stay shared. In both scopes {@link
 * #write} encodes the record at once. Classes are described once for each group.
 *
 * <p>Writing a record allocates no memory when the buffer has grown to the size of the groups (4 KB at first). With {@link IdentityScope#GROUP}
 * the same is true for the table of objects. Not thread-safe.
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
     * @throws HeapspanException as {@link Heapspan#encode(Object)}; of category LIMIT also if the group would become too long ({@link #limitTo};
     *     about 2 GB by default). The group is then as it was before the call, with one exception of category LIMIT: if the stack was too small
     *     for the record, and a method of the record waited for a lock of the calling thread, the records of the group are lost. {@link
     *     #recordCount} is then 0, and the next {@link #finish} throws an exception
     */
    public void write(@Nullable Object record) {
        writer.write(record);
    }

    /**
     * Adds records to the current group. This is the same as {@link #write} for each record, but faster.
     *
     * @param records the records, each of which may be null
     * @throws HeapspanException as {@link #write}; records before the one that failed can be in the group. {@link #recordCount} returns how many
     *     records the group has
     */
    public void writeAll(@Nullable Object[] records) {
        writer.writeAll(records);
    }

    /**
     * Limits the length of this group and all further groups. A record that would make a group longer is refused. A group can exceed the limit
     * by up to one megabyte.
     *
     * @param mostBytes the limit; at most 2 GB less 4 MB, which is the default
     * @throws HeapspanException of category USAGE if the group has records
     */
    public void limitTo(long mostBytes) {
        writer.limitTo(mostBytes);
    }

    /**
     * Returns the number of records in the current group.
     *
     * @return records
     */
    public int recordCount() {
        return writer.recordCount();
    }

    /**
     * Returns the approximate length of the current group, to within a few dozen bytes.
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
     * @throws HeapspanException as {@link #finish}
     */
    public ByteBuffer finishInPlace() {
        return writer.finishInPlace();
    }

    /**
     * Ends the current group and begins the next.
     *
     * @return the group's bytes, which {@link Heapspan#groupReader} reads
     * @throws HeapspanException of category USAGE if records of the group were lost ({@link #write}). The next group is empty: write all records of
     *     the lost group again, also those after the failure
     */
    public byte[] finish() {
        return writer.finish();
    }
}
