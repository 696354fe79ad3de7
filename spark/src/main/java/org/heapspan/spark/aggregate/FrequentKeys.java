package org.heapspan.spark.aggregate;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys that come often: each key whose share of all is above one in {@link #COUNTERS} and one is among them, with some that come less often (Misra and
 * Gries, "Finding repeated elements", 1982). Not thread-safe.
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
