package org.heapspan.image.graph;

import java.util.Arrays;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.StackRoom;

/**
 * Hash containers that are filled when all objects of the section are complete, because the hash codes of their keys may depend on objects
 * that have not been read yet.
 *
 * <p>Containers are filled in the order in which they were read completely. So a container within a key of another container is filled
 * before its hash code is needed. With deferred objects this order does not always hold. So containers whose keys' hash codes have changed
 * are filled again, until no hash code changes. If a container is, through a cycle, an element of itself, no order is correct. The number
 * of repetitions is limited, and the last result is kept, as in Java serialization.
 */
public final class PostponedContainers {
    /** Fills containers of one kind. */
    public interface Filler {
        /** Empties the container and puts all entries into it. */
        public void fill(Object container, Object[] entries);

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

    private final Filling filling = new Filling();
    private Filler[] fillers = new Filler[4];
    private Object[] containers = new Object[4];
    private Object[][] entries = new Object[4][];
    private int count;

    /** Set once the hash code of a key took more than any stack: a container is an element of itself. */
    private boolean endless;

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
        }
        fillers[count] = filler;
        containers[count] = container;
        entries[count] = newEntries;
        count++;
    }

    /** Fills all containers from the given one on and forgets them. */
    void fill(int first) {
        try {
            fillAll(first);
        } catch (StackOverflowError e) {
            if (endless) {
                throw e;
            }
            fillOnLargerStack(first, e);
        }
        truncate(first);
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

    private void fillAll(int first) {
        int end = count;
        int[] hashes = new int[end - first];
        for (int i = first; i < end; i++) {
            fillOne(i);
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
    }

    private void fillOne(int index) {
        try {
            fillers[index].fill(containers[index], entries[index]);
        } catch (StackOverflowError e) {
            if (!endless) {
                throw e;
            }
            throw keyFailure(containers[index], e);
        }
    }

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
    }

    void clear() {
        truncate(0);
        endless = false;
        if (containers.length > 1024) {
            fillers = new Filler[4];
            containers = new Object[4];
            entries = new Object[4][];
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
