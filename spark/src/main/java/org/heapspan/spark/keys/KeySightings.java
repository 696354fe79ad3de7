package org.heapspan.spark.keys;

/**
 * Which keys come again and again. A place of the table is for the latest key that falls on it, so a key is found as long as few enough others come
 * between. Keys of equal hash are taken for one, and threads that count at the same time may lose a count: a key gets its number a little earlier
 * or later.
 */
final class KeySightings {
    private static final int PLACES_LOG = 20;

    /** So often a key must be met in this JVM: in blocks to one reducer, or of several tasks. */
    static final int ENOUGH = 4;

    private static final int COUNT_BITS = 3;
    private static final int COUNT_MASK = (1 << COUNT_BITS) - 1;

    /** Of each place the hash of its key, without as many bits as the count behind it has. */
    private final int[] places = new int[1 << PLACES_LOG];

    /** Counts a key; returns true once, when it has been met often enough. */
    boolean isEnough(String key) {
        // All bits of the place are among those that the hash keeps.
        int hash = key.hashCode() * 0x9E37_79B1;
        int place = hash >>> Integer.SIZE - PLACES_LOG;
        int seen = places[place];
        int count = (seen ^ hash) >>> COUNT_BITS == 0 ? seen & COUNT_MASK : 0;
        if (count >= ENOUGH) {
            return false;
        }
        places[place] = hash & ~COUNT_MASK | count + 1;
        return count + 1 == ENOUGH;
    }
}
