package org.heapspan.spark.aggregate;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds frequent keys (Misra and Gries, "Finding repeated elements", 1982). The result has each key whose share is more than one in {@link #COUNTERS} + 1. It
 * may also have less frequent keys. Not thread-safe.
 */
final class FrequentKeys {
    private static final int COUNTERS = 128;

    private final Map<@Nullable Object, long[]> counts = new HashMap<>();

    void add(@Nullable Object key) {
        long[] count = counts.get(key);
        if (count != null) {
            count[0]++;
        } else if (counts.size() < COUNTERS) {
            counts.put(key, new long[] {1});
        } else {
            Iterator<long[]> all = counts.values().iterator();
            while (all.hasNext()) {
                if (--all.next()[0] == 0) {
                    all.remove();
                }
            }
        }
    }

    Set<@Nullable Object> keys() {
        return counts.keySet();
    }
}
