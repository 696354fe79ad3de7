package org.heapspan.exchange.sharing;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The use of a {@link SharedScope} by one graph that is encoded. For one thread at a time. */
public final class ScopeUse implements ToIntFunction<Object> {
    /** About what the first reference to a value takes. */
    private static final int REFERENCE_BYTES = 4;

    private final SharedScope scope;
    private final @Nullable RepeatedValues repeated;
    private final int image;
    private final BitSet found = new BitSet();
    private final List<Object> candidates = new ArrayList<>();
    private int taken;
    private long references;

    /**
     * Begins a graph.
     *
     * @param repeated what takes note of other values; null if nothing does
     */
    public ScopeUse(SharedScope scope, @Nullable RepeatedValues repeated) {
        this.scope = scope;
        this.repeated = repeated;
        image = repeated == null ? 0 : repeated.nextImage();
    }

    @Override
    public int applyAsInt(Object object) {
        int number = scope.find(object);
        if (number >= 0) {
            references++;
            found.set(number);
        } else if (repeated != null && candidates.size() < RepeatedValues.MOST_VALUES && repeated.takes(object)) {
            taken++;
            if (repeated.isRepeated(object, image)) {
                candidates.add(object);
            }
        }
        return number;
    }

    /** How many references lead to shared values. */
    public long references() {
        return references;
    }

    /** How many values the graph would hold without them. */
    public int values() {
        return found.cardinality();
    }

    /** How many values were compared with those of earlier graphs. */
    int taken() {
        return taken;
    }

    /** Values that are not shared, and that earlier graphs had too. */
    List<Object> candidates() {
        return candidates;
    }

    /** The groups that the graph refers to, each with the number of its first value. */
    public List<SharedTrailer.Part> parts() {
        List<SharedTrailer.Part> parts = new ArrayList<>();
        for (int i = 0; i < scope.groups().size(); i++) {
            int first = scope.first(i);
            SharedGroup group = scope.groups().get(i);
            int next = found.nextSetBit(first);
            if (next >= 0 && next < first + group.count()) {
                parts.add(new SharedTrailer.Part(group.address(), first, group.count()));
            }
        }
        return parts;
    }

    /** About how many bytes the image has less, as far as all values of a group are of equal length. */
    public long savedBytes() {
        long saved = 0;
        for (int i = 0; i < scope.groups().size(); i++) {
            SharedGroup group = scope.groups().get(i);
            int first = scope.first(i);
            long values = found.get(first, first + group.count()).cardinality();
            saved += Math.max(0, values * group.sizeBytes() / group.count() - values * REFERENCE_BYTES);
        }
        return saved;
    }
}
