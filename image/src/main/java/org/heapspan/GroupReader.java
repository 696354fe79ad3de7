package org.heapspan;

import java.util.NoSuchElementException;
import org.heapspan.image.engine.ImageEngine;
import org.heapspan.image.engine.RecordGroupReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a group in the order in which they were written. The group says whether records share objects ({@link IdentityScope}). If they do,
 * the reader keeps the objects until it is dropped. A record that fails ends the reading. Not thread-safe.
 *
 * <p>A group has no end mark. If it lost whole frames at its end, it reads as a group with fewer records. Keep the length of a group
 * ({@link GroupWriter#sizeBytes}), or its count of records, with it.
 */
public final class GroupReader {
    private final RecordGroupReader reader;

    GroupReader(ImageEngine engine, byte[] group, int offset, int length, boolean trusted) {
        reader = RecordGroupReader.open(engine, group, offset, length, trusted);
    }

    /**
     * Whether another record follows.
     *
     * @return true if it does
     * @throws HeapspanException if the bytes behind the last record are no part of a group, or a record before failed
     */
    public boolean hasNext() {
        return reader.hasNext();
    }

    /**
     * Reads the next record.
     *
     * @return the record, which may be null
     * @throws NoSuchElementException if there is none
     * @throws HeapspanException as {@link Heapspan#decode}, or if a record before failed
     */
    public @Nullable Object next() {
        return reader.next();
    }

    /**
     * Reads all records that are left; faster than to ask for each.
     *
     * @return the records in their order, in a new array that is the caller's; empty if there are none
     * @throws HeapspanException as {@link #next}
     */
    public @Nullable Object[] readAll() {
        return reader.readAll();
    }
}
