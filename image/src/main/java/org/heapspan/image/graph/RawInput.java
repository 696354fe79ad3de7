package org.heapspan.image.graph;

import org.jspecify.annotations.Nullable;

/** The methods of the reader of raw images that {@link ImageReader} calls. The implementation is in a higher package. */
public abstract class RawInput {
    /** Makes the raw part of a reader when its first raw image comes. */
    public interface Maker {
        RawInput of(ImageReader reader);
    }

    /** Begins an image, or lets go of one. */
    public abstract void begin();

    /** Takes the chunk of a frame that has just come. */
    public abstract void readChunk();

    /** Refuses an image that ends here if it ends within a record. */
    public abstract void checkEnd();

    /** The codec of a tag that only raw images have, or null. */
    public abstract @Nullable Codec codec(int tag);

    /** Whether a record of which parts have come goes on in the next frame. */
    public abstract boolean isWithinRecord();

    public abstract boolean hasRecord();

    public abstract @Nullable Object readRecord();

    /** The object of the current record to which the compact encoding refers by an index below the record's units. */
    public abstract Object copy(int index);
}
