package org.heapspan.spark.aggregate;

import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the JVM counts for a thread: the bytes of all objects that it has allocated, whether they still exist or not. HotSpot counts exactly, up to the
 * last object. Thread-safe.
 */
final class AllocatedBytes {
    private static final com.sun.management.@Nullable ThreadMXBean THREADS = threads();

    private AllocatedBytes() {}

    private static com.sun.management.@Nullable ThreadMXBean threads() {
        try {
            return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
                            && threads.isThreadAllocatedMemorySupported()
                            && threads.isThreadAllocatedMemoryEnabled()
                    ? threads
                    : null;
        } catch (LinkageError | RuntimeException e) {
            // Another JVM, or one without the module jdk.management.
            return null;
        }
    }

    /** Whether this JVM counts. */
    static boolean areCounted() {
        return THREADS != null;
    }

    /** Bytes of the current thread up to now; 0 where nothing is counted. */
    static long ofCurrentThread() {
        return THREADS == null ? 0 : Math.max(0, THREADS.getCurrentThreadAllocatedBytes());
    }
}
