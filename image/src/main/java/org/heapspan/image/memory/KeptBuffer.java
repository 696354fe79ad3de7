package org.heapspan.image.memory;

import java.lang.ref.SoftReference;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * The buffer of one writer, from image to image. A small one is kept. A larger one, of up to 64 MB, is kept until the JVM is short of memory, or until
 * some images did not need it: the next large image needs no new ones then, which it would fill and copy one after the other. Not thread-safe.
 */
public final class KeptBuffer {
    /** The most that a small buffer has. */
    public static final int SMALL_BYTES = 1 << 20;

    private static final int IMAGES_WITHOUT_LARGE = 16;

    /** Soft references stay for hours where memory is ample, and there is a writer for each thread. */
    private static final int MOST_BYTES = 64 << 20;

    private static final byte[] NONE = {};

    private byte[] small = NONE;
    private @Nullable SoftReference<byte[]> large;
    private int imagesToKeepLarge;

    /** Creates no buffer yet. */
    public KeptBuffer() {}

    /** An array for a caller who writes all of it. */
    public static byte[] newArray(int sizeBytes) {
        RawMemory raw = Access.RAW;
        return raw == null ? new byte[sizeBytes] : (byte[]) raw.allocateUninitializedArray(byte.class, sizeBytes);
    }

    /**
     * A large buffer in place of one that is full.
     *
     * @param usedBytes how much of its beginning comes with it; all if it is shorter
     * @param leastBytes how large it must be, more than {@link #SMALL_BYTES}
     * @param mostBytes how large it may be if it has that size from another image
     */
    public byte[] larger(byte[] buffer, int usedBytes, int leastBytes, long mostBytes) {
        byte[] larger = keptLarge(leastBytes, mostBytes);
        if (larger == null) {
            // Callers give out whole arrays of which an image is a part.
            larger = new byte[leastBytes];
        }
        System.arraycopy(buffer, 0, larger, 0, Math.min(usedBytes, buffer.length));
        if (buffer.length <= SMALL_BYTES) {
            small = buffer;
        }
        return larger;
    }

    private byte @Nullable [] keptLarge(int leastBytes, long mostBytes) {
        byte[] kept = large == null ? null : large.get();
        return kept == null || kept.length < leastBytes || kept.length > mostBytes ? null : kept;
    }

    /**
     * Ends an image.
     *
     * @param buffer the buffer that it had
     * @return the buffer for the beginning of the next one
     */
    public byte[] endImage(byte[] buffer) {
        if (buffer.length > SMALL_BYTES) {
            imagesToKeepLarge = IMAGES_WITHOUT_LARGE;
            if (buffer.length <= MOST_BYTES && (large == null || large.get() != buffer)) {
                large = new SoftReference<>(buffer);
            }
            byte[] next = small;
            small = NONE;
            return next;
        }
        small = NONE;
        if (large != null && --imagesToKeepLarge == 0) {
            large = null;
        }
        return buffer;
    }
}
