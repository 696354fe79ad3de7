package org.heapspan.image;

import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.GroupReader}. Internal; not thread-safe. */
public final class RecordGroupReader {
    private final ImageReader reader;

    /**
     * Opens a group.
     *
     * @param engine the options
     * @param group its bytes
     */
    public RecordGroupReader(ImageEngine engine, byte[] group) {
        reader = engine.newReader(null);
        reader.begin(new FrameSource.OfArray(group, 0, group.length));
    }

    /** Whether another record follows. */
    public boolean hasNext() {
        return !reader.atEnd();
    }

    /** Reads a record. */
    public @Nullable Object next() {
        try {
            return reader.readRecord();
        } catch (StackOverflowError e) {
            throw ImageEngine.tooDeep(e);
        }
    }
}
