package org.heapspan.image.graph;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.SortedSet;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.StackRoom;
import org.heapspan.image.type.MissingObject;

/**
 * Hash containers that are filled when all objects of the section are complete, because the hash codes of their keys may depend on objects
 * that have not been read yet.
 *
 * <p>Containers are filled in the order in which they were read completely. So a container within a key of another container is filled
 * before its hash code is needed. With deferred objects this order does not always hold. So containers whose keys' hash codes have changed
 * are filled again, until no hash code changes. If a container is, through a cycle, an element of itself, no order is correct. The number
 * of repetitions is limited, and the last result is kept, as in Java serialization.
 *
 * <p>If a section refers to objects outside of it, code that runs at its end may look into containers of the sections around it. So these
 * are {@linkplain #fillEarly filled early}, and looked at again when their own section ends.
 *
 * <p>A comparator may depend on objects that are read later. So a sorted container has the order of the image, as in Java serialization,
 * until the root has been read. Then it is sorted if its keys have another order here. Keys that are equal here keep the order of the image.
 */
public final class PostponedContainers {
    /** Fills containers of one kind. */
    public interface Filler {
        /** Empties the container and puts all entries into it. */
        public void fill(Object container, Object[] entries);

        /** As {@link #fill}, in the order of the image, which nobody compares; only for sorted maps and sets. */
        public default void fillInOrder(Object container, Object[] entries) {
            throw new IllegalStateException(container.getClass() + " has no order");
        }

        /** A value that changes when the hash code of any key does. */
        public int hashOfKeys(Object[] entries);
    }

    /** Fills containers on a larger stack. */
    private final class Filling extends StackRoom.Computation<PostponedContainers> {
        private int first;

        @Override
        protected PostponedContainers compute() {
            fillAll(first);
            return PostponedContainers.this;
        }
    }

    /** What has been done with a container. */
    private enum State {
        EMPTY,
        /** It was filled before its section ended. */
        EARLY,
        FILLED,
        /** It has the order of the image, and is to be sorted at the end of the root. */
        UNSORTED
    }

    private static final Object[] NOTHING = {};

    private final Filling filling = new Filling();
    private Filler[] fillers = new Filler[4];
    private Object[] containers = new Object[4];
    private Object[][] entries = new Object[4][];
    private State[] states = new State[4];

    /** Of containers that were filled early, the hash codes of the keys at that time. */
    private int[] earlyHashes = new int[4];

    private int count;

    /** Containers before this one are not filled early again. */
    private int tried;

    /** Set once the hash code of a key took more than any stack: a container is an element of itself. */
    private boolean endless;

    /** Set while the containers of the root are filled: keys that fail then fail for good. */
    private boolean last;

    int count() {
        return count;
    }

    boolean isEmpty() {
        return count == 0;
    }

    void add(Filler filler, Object container, Object[] newEntries) {
        if (count == containers.length) {
            fillers = Arrays.copyOf(fillers, count * 2);
            containers = Arrays.copyOf(containers, count * 2);
            entries = Arrays.copyOf(entries, count * 2);
            states = Arrays.copyOf(states, count * 2);
            earlyHashes = Arrays.copyOf(earlyHashes, count * 2);
        }
        put(count, filler, container, newEntries, State.EMPTY);
        count++;
    }

    private void put(int index, Filler filler, Object container, Object[] newEntries, State state) {
        fillers[index] = filler;
        containers[index] = container;
        entries[index] = newEntries;
        states[index] = state;
    }

    /** Fills all containers at the end of the root and forgets them. */
    void fillLast() {
        last = true;
        fillFrom(0);
        truncate(0);
        last = false;
    }

    /** Fills the containers of a section from the given one on, and forgets them but for those that are to be sorted. */
    void fill(int first) {
        fillFrom(first);
        int kept = first;
        for (int i = first; i < count; i++) {
            if (states[i] == State.UNSORTED) {
                put(kept++, fillers[i], containers[i], entries[i], State.UNSORTED);
            }
        }
        truncate(kept);
    }

    private void fillFrom(int first) {
        try {
            fillAll(first);
        } catch (StackOverflowError e) {
            if (endless) {
                throw e;
            }
            fillOnLargerStack(first, e);
        }
    }

    private void fillOnLargerStack(int first, StackOverflowError tooSmall) {
        try {
            filling.first = first;
            StackRoom.again(filling, tooSmall);
            return;
        } catch (StackOverflowError e) {
            // Or there is no larger stack. Once is enough for an image: it costs memory and time.
        }
        endless = true;
        fillAll(first);
    }

    /** Fills the containers before the given one, whose sections have not ended. A hash container whose keys fail stays empty. */
    void fillEarly(int end) {
        for (; tried < end; tried++) {
            if (states[tried] == State.EMPTY) {
                fillOneEarly(tried);
            }
        }
    }

    void fillLatestEarly() {
        fillOneEarly(count - 1);
    }

    private void fillOneEarly(int index) {
        try {
            fillers[index].fill(containers[index], entries[index]);
            earlyHashes[index] = fillers[index].hashOfKeys(entries[index]);
            states[index] = State.EARLY;
        } catch (RuntimeException | AssertionError | StackOverflowError incompleteKey) {
            if (isSorted(containers[index])) {
                fillInOrder(index);
            } else {
                fillers[index].fill(containers[index], NOTHING);
            }
        }
    }

    private void fillAll(int first) {
        int end = count;
        int[] hashes = new int[end - first];
        for (int i = first; i < end; i++) {
            if (isDue(i)) {
                fillOne(i);
            }
            hashes[i - first] = end - first == 1 ? 0 : hashOfKeys(i);
        }
        int rounds = Math.min(end - first - 1, 64);
        boolean changed = rounds > 0;
        while (changed && rounds-- > 0) {
            changed = false;
            for (int i = first; i < end; i++) {
                int hash = hashOfKeys(i);
                if (hash != hashes[i - first]) {
                    fillOne(i);
                    hashes[i - first] = hash;
                    changed = true;
                }
            }
        }
        for (int i = first; i < end; i++) {
            if (last) {
                sort(i);
            } else if (states[i] != State.UNSORTED && isReordered(i)) {
                fillInOrder(i);
            }
        }
    }

    /** Whether a container has to be filled; if not, it keeps what methods of classes have put into it since it was filled. */
    private boolean isDue(int index) {
        return switch (states[index]) {
            case EMPTY, FILLED -> true;
            case EARLY -> comparesKeys(containers[index]) || hashOfKeys(index) != earlyHashes[index];
            case UNSORTED -> false;
        };
    }

    private void fillOne(int index) {
        if (isSorted(containers[index]) && MissingObject.isAmong(entries[index])) {
            // It is dropped; objects of a missing class have no order.
            fillInOrder(index);
            return;
        }
        try {
            fillers[index].fill(containers[index], entries[index]);
            states[index] = State.FILLED;
        } catch (StackOverflowError e) {
            if (!endless) {
                throw e;
            }
            throw keyFailure(containers[index], e);
        } catch (HeapspanException e) {
            if (last || !isSorted(containers[index])) {
                throw e;
            }
            fillInOrder(index);
        }
    }

    private void fillInOrder(int index) {
        fillers[index].fillInOrder(containers[index], entries[index]);
        states[index] = State.UNSORTED;
    }

    /** Sorts a container, now that all others have their contents, unless a method of a class has changed it since it was filled. */
    private void sort(int index) {
        boolean unsorted = states[index] == State.UNSORTED && size(index) == keyCount(index);
        if (unsorted || states[index] != State.UNSORTED && isReordered(index)) {
            fillOne(index);
            if (size(index) < keyCount(index)) {
                fillInOrder(index);
            }
        }
    }

    // ---------------------------------------------------------------- sorted containers

    private static boolean isSorted(Object container) {
        return container instanceof SortedMap<?, ?> || container instanceof SortedSet<?>;
    }

    private static boolean comparesKeys(Object container) {
        return isSorted(container) || container instanceof PriorityQueue<?>;
    }

    /** Whether a sorted container has its keys in another order than the image, or other keys. */
    private boolean isReordered(int index) {
        Object container = containers[index];
        if (!isSorted(container)) {
            return false;
        }
        Object[] expected = entries[index];
        Collection<?> keys = container instanceof Map<?, ?> map ? map.keySet() : (Collection<?>) container;
        int stride = stride(container);
        int i = 0;
        for (Object key : keys) {
            if (i >= expected.length || key != expected[i]) {
                return true;
            }
            i += stride;
        }
        return i < expected.length;
    }

    private static int stride(Object container) {
        return container instanceof Map<?, ?> ? 2 : 1;
    }

    private int keyCount(int index) {
        return entries[index].length / stride(containers[index]);
    }

    private int size(int index) {
        Object container = containers[index];
        return container instanceof Map<?, ?> map ? map.size() : ((Collection<?>) container).size();
    }

    // ---------------------------------------------------------------- hash codes

    private int hashOfKeys(int index) {
        try {
            return fillers[index].hashOfKeys(entries[index]);
        } catch (StackOverflowError e) {
            if (!endless) {
                throw e;
            }
            // A container that contains itself has no hash code; it stays as it was filled.
            return 0;
        }
    }

    private void truncate(int first) {
        Arrays.fill(containers, first, count, null);
        Arrays.fill(entries, first, count, null);
        count = first;
        tried = Math.min(tried, first);
    }

    void clear() {
        truncate(0);
        endless = false;
        last = false;
        if (containers.length > 1024) {
            fillers = new Filler[4];
            containers = new Object[4];
            entries = new Object[4][];
            states = new State[4];
            earlyHashes = new int[4];
        }
    }

    /** What to say where the keys of a container fail while it is filled. */
    public static HeapspanException keyFailure(Object container, Throwable e) {
        return keyFailure(container.getClass(), e);
    }

    public static HeapspanException keyFailure(Class<?> container, Throwable e) {
        if (e instanceof HeapspanException own) {
            return own;
        }
        if (e instanceof StackOverflowError) {
            return new HeapspanException(
                    Category.LIMIT,
                    "the stack is too small to fill a " + container.getName()
                            + ": hashCode, equals or compareTo of its keys nest too deeply; run in a thread with a larger"
                            + " stack (-Xss), unless a key holds the container itself, for which no stack is enough",
                    e);
        }
        return new HeapspanException(
                Category.HOOK,
                "filling a " + container.getName() + " failed: hashCode, equals or compareTo of a key threw " + e,
                e);
    }
}
