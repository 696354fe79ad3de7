package org.heapspan;

import org.heapspan.image.engine.ImageEngine;
import org.heapspan.image.engine.RecordBodyReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads records that a {@link BodyWriter} has written. As {@link Heapspan#decodeTrusted}, it creates objects of any class that the types name.
 * Damaged bytes cause an exception, or are read as another record. They never crash the JVM. Not thread-safe.
 *
 * <p>A reader finds classes when it reads the first record. Names that {@link LoaderScopes} get later have no effect on it.
 */
public final class BodyReader {
    private final RecordBodyReader reader;

    BodyReader(ImageEngine engine, int typeCount) {
        reader = new RecordBodyReader(engine, typeCount);
    }

    /**
     * Reads a record.
     *
     * @param array has the body. Bytes behind the body may be looked at, and do not matter. With about 64 of them small records are read faster
     * @param offset where the body begins
     * @param length bytes of the body
     * @param backReferences what {@link BodyWriter#hasBackReferences} returned
     * @return the record, or null
     * @throws HeapspanException if the bytes are no body, are altered or truncated, exceed a limit, or hold classes that are not found or differ
     *     too much from the writer's
     * @throws IndexOutOfBoundsException if {@code offset} and {@code length} name bytes outside of the array
     */
    public @Nullable Object read(byte[] array, int offset, int length, boolean backReferences) {
        return reader.read(array, offset, length, backReferences);
    }

    /** Releases memory and all references to objects and classes. The reader can be used again. */
    public void release() {
        reader.release();
    }
}
