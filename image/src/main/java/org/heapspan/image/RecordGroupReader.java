package org.heapspan.image;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.GroupReader}. Internal; not thread-safe. */
public final class RecordGroupReader {
    private final ImageReader reader;
    private final FrameSource.OfArray source;

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
        source = new FrameSource.OfArray(group, offset, length);
        reader.begin(source);
    }

    /** Whether another record follows. */
    public boolean hasNext() {
        if (!reader.atEnd()) {
            return true;
        }
        if (!source.atEnd()) {
            throw reader.malformed("bytes follow the end of the group");
        }
        return false;
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
