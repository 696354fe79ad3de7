package org.apache.spark.heapspan;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Computes how much memory one map of combiners takes. The map reports each value, and asks for the size before the next one. Not thread-safe.
 */
public interface CombinerSizes {
    /** The entries of the map. */
    interface Entries {
        /**
         * Returns the number of keys.
         *
         * @return the number
         */
        int count();

        /**
         * Returns the combiner of a key.
         *
         * @param key a key of the map
         * @return the combiner
         */
        @Nullable
        Object combiner(@Nullable Object key);
    }

    /** Creates them. Spark sends it to the executors as a part of the shuffle. */
    interface Source extends Serializable {
        /**
         * Whether sizes can be computed on this JVM.
         *
         * @return false if Spark must estimate them
         */
        boolean works();

        /**
         * Creates one for an empty map.
         *
         * @param entries the entries of the map
         * @param updatesBefore how many values Spark has counted before those of the map, since the last spill of its own: it looks at the size when the
         *     number of all is a multiple of 32
         * @return the sizes of that map
         */
        CombinerSizes begin(Entries entries, long updatesBefore);
    }

    /**
     * Reports a value that the map has combined.
     *
     * @param key key of the entry
     * @param value the value
     * @param combiner combiner of the entry, with the value
     * @param isNew whether the key was not in the map before
     */
    void combined(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew);

    /**
     * Returns how much memory the map takes with all its entries. This is an estimate. If it is less than {@code roomBytes}, the map probably takes
     * less than {@code roomBytes}.
     *
     * @param roomBytes how much the map may take before Spark must ask for more memory
     * @return the size in bytes
     */
    long bytes(long roomBytes);
}
