package org.heapspan.exchange;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.exchange.client.Lease;
import org.heapspan.exchange.sharing.ReadGroups;
import org.heapspan.exchange.sharing.RepeatedValues;
import org.heapspan.exchange.sharing.ScopeUse;
import org.heapspan.exchange.sharing.SharedGroup;
import org.heapspan.exchange.sharing.SharedScope;
import org.heapspan.exchange.sharing.SharedTrailer;
import org.jspecify.annotations.Nullable;

/**
 * The shared values of a {@link GlobalHeap}: those to which the graphs that it stores refer, and those that it has read (ZCOT section 5).
 * Thread-safe.
 */
final class Sharing {
    private static final int MOST_FOUND_GROUPS = 16;
    private static final int MOST_FOUND_VALUES = 4 * RepeatedValues.MOST_VALUES;
    private static final int MOST_DECLARED_GROUPS = SharedTrailer.MOST_PARTS - MOST_FOUND_GROUPS;

    private final HeapAccess access;
    private final ReadGroups read = new ReadGroups();

    /** What finds values that come again; null if deduplication is off. */
    private final @Nullable RepeatedValues repeated;

    /** Groups that new graphs may refer to, with a lease of each. */
    private final List<Active> active = new ArrayList<>();

    private volatile SharedScope scope = SharedScope.EMPTY;

    /** Whether the server stores graphs with keys only if they need no other groups. */
    private volatile boolean keysStandAlone;

    private DeduplicationStatistics statistics = new DeduplicationStatistics(0, 0, 0, 0, 0);

    private record Active(SharedGroup group, Lease lease, boolean found) {}

    Sharing(HeapAccess access, @Nullable Set<Class<?>> deduplicated) {
        this.access = access;
        repeated = deduplicated == null ? null : new RepeatedValues(deduplicated);
    }

    synchronized DeduplicationStatistics statistics() {
        return statistics;
    }

    // Writing

    /**
     * Begins a graph that may refer to shared values.
     *
     * @return null if it is to be stored as it is
     */
    @Nullable
    ScopeUse begin(boolean withKey) {
        SharedScope current = scope;
        if (withKey && keysStandAlone) {
            return null;
        }
        boolean looks = repeated != null && repeated.looksAtNext();
        return looks || hasDeclared(current) ? new ScopeUse(current, repeated) : null;
    }

    private boolean hasDeclared(SharedScope current) {
        if (current.isEmpty()) {
            return false;
        }
        synchronized (this) {
            return active.stream().anyMatch(each -> !each.found);
        }
    }

    /** Takes note of a graph that was stored, and shares what has come again by now. */
    void stored(ScopeUse use) {
        synchronized (this) {
            statistics = statistics.plus(use.references(), use.values(), use.savedBytes());
        }
        if (repeated == null) {
            return;
        }
        repeated.add(use);
        List<Object> values = repeated.take();
        if (!values.isEmpty()) {
            try {
                publish(values.toArray(), true);
            } catch (HeapspanException e) {
                // Graphs go on to hold their own copies, which the server may have room for.
            }
        }
    }

    /** Whether a graph that could not be stored with references may be stored without them. */
    static boolean canDoWithout(ScopeUse use, ExchangeException.Reason failure) {
        return use.references() > 0
                && (failure == ExchangeException.Reason.GROUP_GONE || failure == ExchangeException.Reason.LIMIT);
    }

    /** Learns from a graph that was stored without references, after a failure with them. The other groups that it needs were not the reason. */
    void didWithout(ScopeUse use, ExchangeException.Reason failure, boolean withKey) {
        if (failure == ExchangeException.Reason.GROUP_GONE) {
            // The server was started again, or the values were closed meanwhile.
            long[] gone = use.parts().stream()
                    .mapToLong(SharedTrailer.Part::address)
                    .sorted()
                    .toArray();
            retire(each -> Arrays.binarySearch(gone, each.group.address()) >= 0);
        } else if (withKey) {
            keysStandAlone = true;
        }
    }

    /** Publishes values to which later graphs refer. */
    SharedGroup publish(Object[] values, boolean found) {
        Lease lease = access.publishPlain("publication of " + values.length + " shared values", values);
        SharedGroup group =
                read.add(new SharedGroup(lease.group().address(), lease.group().sizeBytes(), values));
        synchronized (this) {
            statistics = statistics.plusShared(values.length, group.sizeBytes());
        }
        add(new Active(group, lease, found));
        return group;
    }

    SharedGroup declare(Collection<?> values) {
        Set<Object> different = new LinkedHashSet<>();
        values.forEach(value -> different.add(Objects.requireNonNull(value, "a shared value is null")));
        if (different.isEmpty() || different.size() > RepeatedValues.MOST_VALUES) {
            throw new IllegalArgumentException("there are " + different.size()
                    + " different values to share, expected 1 to " + RepeatedValues.MOST_VALUES);
        }
        synchronized (this) {
            if (active.stream().filter(each -> !each.found).count() >= MOST_DECLARED_GROUPS) {
                throw ExchangeException.of(
                        ExchangeException.Reason.LIMIT,
                        "sharing of " + different.size() + " values",
                        "this heap shares " + MOST_DECLARED_GROUPS
                                + " collections of values, which is the most; close some (SharedValues.close)");
            }
        }
        return publish(different.toArray(), false);
    }

    private void add(Active added) {
        List<Active> oldest = new ArrayList<>();
        synchronized (this) {
            active.add(added);
            List<Active> found = active.stream().filter(Active::found).toList();
            int values = found.stream().mapToInt(each -> each.group.count()).sum();
            for (int i = 0; found.size() - i > MOST_FOUND_GROUPS || values > MOST_FOUND_VALUES; i++) {
                oldest.add(found.get(i));
                values -= found.get(i).group.count();
            }
            active.removeAll(oldest);
            renewScope();
        }
        oldest.forEach(each -> access.client().release(each.lease));
    }

    private void renewScope() {
        scope = new SharedScope(active.stream().map(Active::group).toList());
    }

    private void retire(Predicate<Active> choice) {
        List<Active> retired;
        synchronized (this) {
            retired = active.stream().filter(choice).toList();
            if (retired.isEmpty()) {
                return;
            }
            active.removeAll(retired);
            renewScope();
        }
        retired.forEach(each -> access.client().release(each.lease));
    }

    /** Later graphs do not refer to this group. */
    void end(SharedGroup group) {
        retire(each -> each.group == group);
    }

    // Reading

    /** The shared objects of an image that has this trailer. */
    IntFunction<Object> objects(SharedTrailer trailer) {
        List<SharedTrailer.Part> parts = trailer.parts();
        SharedGroup[] groups = new SharedGroup[parts.size()];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = group(parts.get(i));
        }
        return number -> {
            for (int i = groups.length - 1; i >= 0; i--) {
                int index = number - parts.get(i).first();
                if (index >= 0 && index < groups[i].count()) {
                    return groups[i].value(index);
                }
            }
            throw new HeapspanException(
                    Category.MALFORMED,
                    "the image refers to shared value " + number + ", which is in none of the " + groups.length
                            + " groups that it names");
        };
    }

    private SharedGroup group(SharedTrailer.Part part) {
        SharedGroup known = read.find(part.address());
        SharedGroup group = known == null ? fetch(part.address()) : known;
        if (group.count() != part.count()) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    "the image says that the group at 0x" + Long.toHexString(part.address()) + " has " + part.count()
                            + " shared values, it has " + group.count());
        }
        return group;
    }

    private SharedGroup fetch(long address) {
        String action = "read of the shared values at 0x" + Long.toHexString(address);
        Lease lease = access.locate(action, address);
        boolean kept = false;
        try {
            Object[] values = access.readPlain(action, lease, Object[].class);
            if (values == null || values.length == 0 || Arrays.asList(values).contains(null)) {
                throw new HeapspanException(
                        Category.MALFORMED,
                        "the group at 0x" + Long.toHexString(address) + " has no shared values, or null among them");
            }
            SharedGroup own = new SharedGroup(address, lease.group().sizeBytes(), values);
            SharedGroup first = read.add(own);
            if (repeated != null && first == own) {
                // Who passes on what it has read refers to the same values (ZCOT section 5.2).
                kept = true;
                add(new Active(own, lease, true));
            }
            return first;
        } finally {
            if (!kept) {
                access.client().release(lease);
            }
        }
    }
}
