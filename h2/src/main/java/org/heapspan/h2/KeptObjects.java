package org.heapspan.h2;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;

/**
 * Shared objects that stay on the Java heap although they are in the second heap, so that who reads roots need not make them again: the first
 * ones that fit. Those that do not fit take nobody's place, since where all roots are read in turn each would be gone when its turn
 * comes again. The collector may take any of them when memory runs out or nobody has read it for long ({@link SoftReference}). Thread-safe.
 */
final class KeptObjects {
    private final long capacityBytes;
    private final ReferenceQueue<Object> taken = new ReferenceQueue<>();

    /** Of images of what is kept; guarded by this. */
    private long bytes;

    private static final class Kept extends SoftReference<Object> {
        /** Of its image; 0 once it is not counted any more. Guarded by the outer object. */
        private long bytes;

        Kept(Object object, long bytes, ReferenceQueue<Object> queue) {
            super(object, queue);
            this.bytes = bytes;
        }
    }

    /**
     * Creates it without objects.
     *
     * @param capacityBytes how many bytes their images may have together; none are kept with 0
     */
    KeptObjects(long capacityBytes) {
        this.capacityBytes = capacityBytes;
    }

    /** A reference to an object, which keeps it if there is room. It has to be {@link #release released} in the end. */
    synchronized Reference<Object> referenceTo(Object object, long imageBytes) {
        for (Reference<?> gone = taken.poll(); gone != null; gone = taken.poll()) {
            release(gone);
        }
        if (imageBytes > capacityBytes - bytes) {
            return new WeakReference<>(object);
        }
        Reference<Object> keeping = new Kept(object, imageBytes, taken);
        bytes += imageBytes;
        return keeping;
    }

    /** Lets go of a reference that is not used any more; of one that has been released before, too. */
    synchronized void release(Reference<?> reference) {
        if (reference instanceof Kept kept) {
            bytes -= kept.bytes;
            kept.bytes = 0;
        }
    }

    /** Bytes of images of what is kept. */
    synchronized long bytes() {
        return bytes;
    }
}
