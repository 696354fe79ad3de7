package org.heapspan;

import java.util.NoSuchElementException;
import org.heapspan.image.engine.ImageEngine;
import org.heapspan.image.engine.RecordGroupReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a group in the order in which they were written. The group says whether records share objects ({@link IdentityScope}). If
 * they do, the reader refers to all objects that it has read. After a record that cannot be read, no further record can be read. Not
 * thread-safe.
 *
 * <p>A group has no end mark. If it lost whole frames at its end, it reads as a group with fewer records. So store the length of the group's
 * bytes, or its number of records, together with the group.
 */
public final class GroupReader {
    private final RecordGroupReader reader;

    GroupReader(ImageEngine engine, byte[] group, int offset, int length, boolean trusted) {
        reader = RecordGroupReader.open(engine, group, offset, length, trusted);
    }

    /**
     * Returns whether there is another record.
     *
     * @return true if there is
     * @throws HeapspanException if the bytes after the last record are not part of a group, or an earlier record could not be read
     */
    public boolean hasNext() {
        return reader.hasNext();
    }

    /**
     * Reads the next record.
     *
     * @return the record, which may be null
     * @throws NoSuchElementException if there is no further record
     * @throws HeapspanException as {@link Heapspan#decode}, or if an earlier record could not be read
     */
    public @Nullable Object next() {
        return reader.next();
    }

    /**
     * Reads all remaining records. This is faster than calling {@link #next} for each record.
     *
     * @return the records in their order, in a new array that the caller may change; empty if there are none
     * @throws HeapspanException as {@link #next}
     */
    public @Nullable Object[] readAll() {
        return reader.readAll();
    }
}
