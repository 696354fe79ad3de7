package org.heapspan.image.graph;

import org.jspecify.annotations.Nullable;

/** The methods of the writer of raw images that {@link ImageWriter} calls. The implementation is in a higher package. */
public abstract class RawOutput {
    /** Makes the raw part of a writer when it begins its first raw image. */
    public interface Maker {
        /** The raw part; null if this JVM cannot write raw images. */
        @Nullable
        RawOutput of(ImageWriter writer);
    }

    /** Begins an image. */
    public abstract void begin();

    /** Lets go of everything that belongs to the image. */
    public abstract void release();

    public abstract void writeRecord(@Nullable Object root);

    public abstract int writeRow(@Nullable Object[] records, int first, int last);

    public abstract int insertedBytes();

    public abstract void takeBackRecord();

    public abstract void placeChunk();

    public abstract boolean keepsFrames();

    public abstract void frameEnded(int keptEnd);

    public abstract boolean hasRoots();

    public abstract int sizeBytes();

    public abstract void writeBackReference(int number);

    public abstract int indexOf(int number);
}
