package org.heapspan.spark.aggregate;

import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * The number of bytes that a thread has allocated, in live and dead objects. HotSpot counts them exactly, the last object included. Thread-safe.
 */
public final class AllocatedBytes {
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

    /** Whether this JVM counts them. */
    public static boolean areCounted() {
        return THREADS != null;
    }

    /** Bytes that the current thread has allocated; 0 if this JVM does not count them. */
    public static long ofCurrentThread() {
        return THREADS == null ? 0 : Math.max(0, THREADS.getCurrentThreadAllocatedBytes());
    }
}
