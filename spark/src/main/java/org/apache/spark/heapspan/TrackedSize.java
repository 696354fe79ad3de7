package org.apache.spark.heapspan;

import org.apache.spark.util.collection.SizeTracker;

/**
 * Spark's collections that follow their own size: maps of groups in {@code cogroup} and {@code join}, buffers of sorts, values that become a cached partition. They
 * ask {@code SizeEstimator} for the size of themselves each time the number of updates has grown by a tenth, and begin to count anew when a map grows.
 *
 * <p>Relies on {@code core/.../util/collection/SizeTracker.scala} of Spark 4.3.
 */
public final class TrackedSize {
    private TrackedSize() {}

    /** Whether an object is such a collection. */
    public static boolean isOf(Object object) {
        return object instanceof SizeTracker;
    }

    /** How often it was updated since it began to count. */
    public static long updates(Object collection) {
        return ((SizeTracker) collection).org$apache$spark$util$collection$SizeTracker$$numUpdates();
    }
}
