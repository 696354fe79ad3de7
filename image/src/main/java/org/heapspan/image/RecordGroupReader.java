package org.heapspan.image;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.GroupReader}. Internal; not thread-safe. */
public final class RecordGroupReader {
    private final ImageReader reader;

    /**
     * Opens a group.
     *
     * @param engine the options
     * @param group array with its bytes
     * @param offset where they begin
     * @param length how many there are
     */
    public RecordGroupReader(ImageEngine engine, byte[] group, int offset, int length) {
        reader = engine.newReader(null);
        reader.begin(new FrameSource.OfArray(group, offset, length));
    }

    /** Whether another record follows. */
    public boolean hasNext() {
        return !reader.atEnd();
    }

    /** Reads a record. */
    public @Nullable Object next() {
        if (reader.position == reader.limit && reader.atEnd()) {
            throw new NoSuchElementException("the group has no further record");
        }
        try {
            return reader.readRecord();
        } catch (StackOverflowError e) {
            throw ImageEngine.tooDeep(e);
        }
    }
}
