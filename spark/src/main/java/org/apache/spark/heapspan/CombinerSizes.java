package org.apache.spark.heapspan;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Follows how much memory the entries of one map take, in which values are combined by key. It is told of each value, and asked before the next
 * one. Not thread-safe.
 */
public interface CombinerSizes {
    /** The map. */
    interface Entries {
        /**
         * How many keys it has.
         *
         * @return a count
         */
        int count();

        /**
         * What has been combined for a key.
         *
         * @param key of an entry
         * @return the combiner
         */
        @Nullable
        Object combiner(@Nullable Object key);
    }

    /** Makes them; travels to the executors with a shuffle. */
    interface Source extends Serializable {
        /**
         * Whether sizes can be followed on this JVM.
         *
         * @return false to leave it to Spark
         */
        boolean works();

        /**
         * Begins with a map that has no entries.
         *
         * @param entries of the map
         * @return for that map
         */
        CombinerSizes begin(Entries entries);
    }

    /**
     * Tells of a value that is in the map now.
     *
     * @param key of the entry
     * @param value that was combined
     * @param combiner of the entry, the value included
     * @param isNew whether the key was not in the map before
     */
    void combined(@Nullable Object key, @Nullable Object value, @Nullable Object combiner, boolean isNew);

    /**
     * How much memory the map takes with all of its entries. An estimate, see there; where it is less than the room, more than the room is not
     * likely to be in use.
     *
     * @param roomBytes how much it may take before more is to be asked for
     * @return bytes
     */
    long bytes(long roomBytes);
}
