package org.heapspan.image.memory;

import java.util.Objects;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Whether the stack has room for more of a graph, as sections nest in sections; where it has not, the graph goes on on a {@link LargerStack}.
 * Not thread-safe, as the writer or reader to which it belongs.
 */
public final class StackRoom {
    /** Sections that nest no deeper than this are not looked at: a small stack has room for them. */
    public static final int SHALLOW_SECTIONS = 32;

    /** After so many more sections, one within another, the room is measured again. */
    private static final int MEASURED_SECTIONS = 16;

    /**
     * So many calls of {@link #descend} take 240 kB. That is more than the sections until the next measurement need. It leaves enough to begin a
     * larger stack. To load a class, the JVM alone wants 80 kB to be left ({@code StackShadowPages}).
     */
    private static final int MEASURED_CALLS = 1600;

    /**
     * Enough for hash codes of some ten thousand levels. That of a container which holds itself has no end: it takes all of the stack, and as much of
     * the Java heap for iterators.
     */
    private static final int COMPUTATION_STACK_BYTES = 8 << 20;

    static {
        // Its classes load while there is room.
        LargerStack.prepare();
    }

    /**
     * What may be done again on a larger stack. Made while there is room where that is possible: to load a class, and even more to link a lambda,
     * takes stack.
     *
     * @param <T> its result
     */
    public abstract static class Computation<T> implements Runnable {
        private @Nullable T result;

        /** Has no effect but its result, or one that doing it again does not change. */
        protected abstract T compute();

        @Override
        public final void run() {
            result = compute();
        }

        private T takeResult() {
            T taken = Objects.requireNonNull(result);
            result = null;
            return taken;
        }
    }

    /** Up to this nesting there is room. */
    private int measuredTo = SHALLOW_SECTIONS;

    /** Set once the operation had to stay on its thread. */
    private boolean stays;

    /** Set once the operation may leave its thread. */
    private boolean mayLeave;

    private @Nullable LargerStack larger;

    private boolean abandoned;

    /** Begins another operation. */
    public void clear() {
        measuredTo = SHALLOW_SECTIONS;
        stays = false;
        mayLeave = false;
        larger = null;
    }

    /** Called behind what nests deeply: what comes next at the same place may need more stack for each section. */
    public void leave(int sections) {
        measuredTo = Math.min(measuredTo, Math.max(sections, SHALLOW_SECTIONS) + MEASURED_SECTIONS);
    }

    /** Whether sections that nest so deeply may go on where they are. */
    public boolean suffices(int sections) {
        if (sections <= measuredTo || stays) {
            return true;
        }
        boolean found = isThere();
        if (found) {
            measuredTo = sections + MEASURED_SECTIONS;
        }
        return found;
    }

    /** Goes on on a larger stack, if there is one. */
    public void extend(int sections, Runnable task) {
        if (LargerStack.isCurrent()) {
            throw usedUp(null);
        }
        LargerStack thread = begin(task);
        if (thread == null) {
            // As far as this stack goes.
            stays = true;
            task.run();
            return;
        }
        larger = thread;
        measuredTo = sections + MEASURED_SECTIONS;
        try {
            thread.await();
        } catch (LargerStack.Deadlock e) {
            abandoned = true;
            throw deadlock();
        } finally {
            measuredTo = sections - 1;
        }
    }

    private @Nullable LargerStack begin(Runnable task) {
        LargerStack thread = larger;
        if (thread != null && thread.take(task)) {
            return thread;
        }
        mayLeave = mayLeave || LargerStack.isPossible();
        return mayLeave ? LargerStack.begin(LargerStack.STACK_BYTES, task) : null;
    }

    /** Whether another thread may still use what the operation has left behind. */
    public boolean isAbandoned() {
        return abandoned;
    }

    /** Refuses to go on after a method of a user class has swallowed the failure. */
    public void checkNotAbandoned() {
        if (abandoned) {
            throw deadlock();
        }
    }

    /**
     * Does again, on a larger stack, what this one was too small for.
     *
     * @param tooSmall thrown where there is no larger stack
     */
    public static <T> T again(Computation<T> computation, StackOverflowError tooSmall) {
        LargerStack thread = LargerStack.isPossible() ? LargerStack.begin(COMPUTATION_STACK_BYTES, computation) : null;
        if (thread == null) {
            throw tooSmall;
        }
        try {
            thread.await();
        } catch (LargerStack.Deadlock e) {
            throw deadlock();
        }
        return computation.takeResult();
    }

    private static HeapspanException deadlock() {
        return new HeapspanException(
                Category.LIMIT,
                "the stack is too small, and a method of a class waits on a larger one for a lock that the thread of the"
                        + " operation holds; run in a thread with a larger stack (-Xss), or without holding the lock");
    }

    /** What running out of stack is for the caller. */
    public static HeapspanException usedUp(@Nullable StackOverflowError e) {
        return new HeapspanException(
                Category.LIMIT,
                "the stack is too small: objects that must be complete at once (Optionals, objects with writeObject or"
                        + " readObject, proxies) nest too deeply; run in a thread with a larger stack (-Xss)",
                e);
    }

    private static boolean isThere() {
        try {
            return descend(MEASURED_CALLS, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) != 0;
        } catch (StackOverflowError e) {
            return false;
        }
    }

    /** Takes some 150 bytes of stack for each call, compiled or not: all values are needed after the call. */
    private static long descend(
            int calls,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            long h,
            long i,
            long j,
            long k,
            long l,
            long m,
            long n,
            long o,
            long p) {
        if (calls == 0) {
            return a | p;
        }
        long below = descend(calls - 1, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, a);
        return below | a | b << 1 | c << 2 | d << 3 | e << 4 | f << 5 | g << 6 | h | i | j | k | l | m | n | o | p;
    }
}
