package org.heapspan.exchange.sharing;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds values that several graphs have, in bounded memory: strings, and instances of classes that the user names. Remembers hash codes, and takes a
 * value that it sees in a second graph for one that comes again. If graphs have no such values, most graphs are not looked at. Thread-safe.
 */
public final class RepeatedValues {
    /** As many as one group takes. */
    public static final int MOST_VALUES = 1 << 16;

    /** Fewer are not worth a group. */
    private static final int LEAST_VALUES = 128;

    /** Shorter strings take hardly more than a reference. */
    private static final int LEAST_STRING_LENGTH = 8;

    private static final int SEEN_BITS = 17;

    /** The bits of a hash code that are compared: the others choose the entry. */
    private static final int COMPARED_BITS = Integer.SIZE - SEEN_BITS;

    /** So many standard deviations above the mean are no chance. */
    private static final int DEVIATIONS = 6;

    private static final int HASH_FACTOR = 0x9E3779B9;
    private static final int FRUITLESS_AT_FIRST = 4;
    private static final int MOST_SKIPPED_BITS = 6;

    private final Set<Class<?>> types;

    /** The hash code and the graph of values that were seen. Threads may overwrite what others have noted: then a value is found later. */
    private final long[] seen = new long[1 << SEEN_BITS];

    private final AtomicInteger images = new AtomicInteger();
    private final Set<Object> candidates = new LinkedHashSet<>();
    private int fruitless;
    private int skipped;

    /** Looks for strings and instances of these classes. */
    public RepeatedValues(Set<Class<?>> types) {
        this.types = Set.copyOf(types);
    }

    /** A number for a graph, not 0. */
    int nextImage() {
        return images.updateAndGet(last -> last == -1 ? 1 : last + 1);
    }

    /** Whether this is a value to take note of. */
    boolean takes(Object value) {
        return value instanceof String text ? text.length() >= LEAST_STRING_LENGTH : types.contains(value.getClass());
    }

    /**
     * Takes note of a value of a graph, and says whether another graph had the same. It is mistaken about one value in 2^{@value #COMPARED_BITS}, because
     * another one had the same hash code.
     */
    boolean isRepeated(Object value, int image) {
        int hash = value.hashCode() * HASH_FACTOR;
        int slot = hash >>> 32 - SEEN_BITS;
        long entry = seen[slot];
        seen[slot] = (long) hash << 32 | image & 0xFFFF_FFFFL;
        return entry != 0 && (int) (entry >> 32) == hash && (int) entry != image;
    }

    /** Whether the next graph is to be looked at. */
    public synchronized boolean looksAtNext() {
        if (fruitless < FRUITLESS_AT_FIRST) {
            return true;
        }
        int skips = (1 << Math.min(fruitless - FRUITLESS_AT_FIRST + 1, MOST_SKIPPED_BITS)) - 1;
        if (skipped < skips) {
            skipped++;
            return false;
        }
        skipped = 0;
        return true;
    }

    /** Takes note of what a graph that was looked at has had. */
    public synchronized void add(ScopeUse use) {
        if (use.references() == 0 && !hasRepeated(use)) {
            fruitless++;
            return;
        }
        fruitless = 0;
        for (Object candidate : use.candidates()) {
            if (candidates.size() == MOST_VALUES) {
                break;
            }
            candidates.add(candidate);
        }
    }

    /** Whether a graph has more values that come again than equal hash codes explain. */
    private static boolean hasRepeated(ScopeUse use) {
        double mistakes = Math.scalb((double) use.taken(), -COMPARED_BITS);
        return use.candidates().size() > mistakes + DEVIATIONS * Math.sqrt(mistakes);
    }

    /** Hands out the values that should be shared from now on, once there are enough of them; otherwise none. */
    public synchronized List<Object> take() {
        if (candidates.size() < LEAST_VALUES) {
            return List.of();
        }
        List<Object> taken = new ArrayList<>(candidates);
        candidates.clear();
        return taken;
    }
}
