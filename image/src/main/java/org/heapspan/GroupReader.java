package org.heapspan;

import java.util.NoSuchElementException;
import org.heapspan.image.ImageEngine;
import org.heapspan.image.RecordGroupReader;
import org.jspecify.annotations.Nullable;

/** Reads the records of a group in the order in which they were written. Not thread-safe. */
public final class GroupReader {
    private final RecordGroupReader reader;

    GroupReader(ImageEngine engine, byte[] group, int offset, int length) {
        reader = new RecordGroupReader(engine, group, offset, length);
    }

    /**
     * Whether another record follows.
     *
     * @return true if it does
     * @throws HeapspanException if the bytes behind the last record are no part of a group
     */
    public boolean hasNext() {
        return reader.hasNext();
    }

    /**
     * Reads the next record.
     *
     * @return the record, which may be null
     * @throws NoSuchElementException if there is none
     * @throws HeapspanException as {@link Heapspan#decode}
     */
    public @Nullable Object next() {
        return reader.next();
    }
}
