package org.heapspan.image.memory;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import org.jspecify.annotations.Nullable;

/**
 * A thread with a large stack, on which an operation goes on where the stack of the caller's thread is about to end. The caller's
 * thread waits meanwhile. It reads from sources and writes to sinks all the same: streams and their locks see one thread only.
 *
 * <p>Methods of user classes run on this thread. If one waits for a lock that the caller's thread holds, neither would ever go on. The
 * caller's thread finds that out, leaves the operation with {@link Deadlock}, and so releases its locks. What this thread still does
 * then is for nobody.
 */
public final class LargerStack extends Thread {
    /** So much stack may an operation take beside that of its own thread; the system provides memory as it is used. */
    static final int STACK_BYTES = 64 << 20;

    private static final int WATCH_MILLIS = 50;

    /** The deepest chain of threads that wait for one another's locks which is looked at. */
    private static final int WATCHED_THREADS = 64;

    /** What the caller's thread does for this one. */
    public interface Transfer {
        /**
         * Reads, writes, or asks.
         *
         * @return what has been asked for
         */
        public long run() throws IOException;
    }

    /** Thrown to the caller's thread if this one waits for a lock that it holds. */
    static final class Deadlock extends Exception {
        private static final long serialVersionUID = 1L;

        private Deadlock() {
            super(null, null, false, false);
        }
    }

    private static final int IDLE_MILLIS = 200;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Thread caller = currentThread();

    // Guarded by this, as all below.
    private @Nullable Runnable task;
    private boolean ended;
    private @Nullable Throwable failure;

    /** Whether this thread was interrupted when it ended a task or began a transfer. */
    private boolean wasInterrupted;

    /** Whether the caller's thread has left. */
    private boolean abandoned;

    private @Nullable Transfer transfer;
    private long transferResult;
    private @Nullable Throwable transferFailure;

    private LargerStack(int stackBytes, Runnable first) {
        super(null, null, currentThread().getName() + " (larger stack)", stackBytes);
        setDaemon(true);
        setContextClassLoader(caller.getContextClassLoader());
        task = first;
    }

    /** Loads this class. */
    static void prepare() {}

    /** Whether the operation of the current thread may go on on another one. */
    static boolean isPossible() {
        return !isCurrent() && !othersWaitForCurrent() && isWatched();
    }

    /**
     * Begins a thread for tasks of the current one.
     *
     * @param first its first task. The thread has it from the beginning: one that waits for a task ends after a while, and on a busy machine the current thread
     *     may be late
     * @return the thread; null if the system has none left
     */
    static @Nullable LargerStack begin(int stackBytes, Runnable first) {
        try {
            LargerStack thread = new LargerStack(stackBytes, first);
            thread.start();
            return thread;
        } catch (OutOfMemoryError | RuntimeException noThread) {
            // Or the group of threads takes none, or a security manager forbids it.
            return null;
        }
    }

    /** Begins to run another task, as long as this thread waits for one of the current thread. */
    synchronized boolean take(Runnable next) {
        if (ended || caller != currentThread()) {
            return false;
        }
        setContextClassLoader(caller.getContextClassLoader());
        task = next;
        notifyAll();
        return true;
    }

    /** Whether the current thread has a larger stack already. */
    public static boolean isCurrent() {
        return currentThread() instanceof LargerStack;
    }

    /** Whether other threads may wait for the current one in a way that {@link #holdsBack} does not see: until a class is there. */
    private static boolean othersWaitForCurrent() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("<clinit>")
                        || ClassLoader.class.isAssignableFrom(frame.getDeclaringClass())));
    }

    /** Whether the JVM tells for what lock a thread waits, and that the current one holds it; of virtual threads it does not. */
    private static boolean isWatched() {
        try {
            return ManagementFactory.getThreadMXBean()
                            .getThreadInfo(currentThread().getId())
                    != null;
        } catch (LinkageError | RuntimeException unknown) {
            return false;
        }
    }

    @Override
    public void run() {
        Runnable next = awaitTask();
        while (next != null) {
            Throwable thrown = null;
            try {
                next.run();
            } catch (Throwable e) { // for the caller's thread to throw
                thrown = e;
            }
            end(thrown);
            next = awaitTask();
        }
    }

    /** Waits for the next task; null if none came for a while, and then none will. */
    private synchronized @Nullable Runnable awaitTask() {
        long end = System.nanoTime() + IDLE_MILLIS * NANOS_PER_MILLI;
        while (task == null && System.nanoTime() < end) {
            try {
                wait(IDLE_MILLIS);
            } catch (InterruptedException e) {
                // Of no concern to a thread without a task.
            }
        }
        ended = task == null;
        return task;
    }

    private synchronized void end(@Nullable Throwable thrown) {
        failure = thrown;
        wasInterrupted = interrupted();
        task = null;
        ended = abandoned;
        notifyAll();
    }

    /** Waits for the end of the task, and throws what it threw. */
    void await() throws Deadlock {
        while (!hasEnded()) {
            Transfer wanted = awaitTransfer();
            if (wanted != null) {
                runTransfer(wanted);
            } else if (holdsBack() && abandon()) {
                throw new Deadlock();
            }
        }
        Throwable thrown = takeFailure();
        if (thrown != null) {
            throw Access.sneaky(thrown);
        }
    }

    private synchronized boolean hasEnded() {
        return task == null;
    }

    /** Leaves the task to itself; false if it has ended meanwhile. */
    private synchronized boolean abandon() {
        abandoned = task != null;
        return abandoned;
    }

    private synchronized @Nullable Throwable takeFailure() {
        Throwable thrown = failure;
        failure = null;
        return thrown;
    }

    /** Waits for the next transfer; null if none came for a while, or the task has ended. */
    private synchronized @Nullable Transfer awaitTransfer() {
        long end = System.nanoTime() + WATCH_MILLIS * NANOS_PER_MILLI;
        while (task != null && transfer == null && System.nanoTime() < end) {
            try {
                wait(WATCH_MILLIS);
            } catch (InterruptedException e) {
                // Whoever interrupts the operation knows the caller's thread only.
                if (task == null) {
                    wasInterrupted = true;
                } else {
                    interrupt();
                }
            }
        }
        if (wasInterrupted) {
            wasInterrupted = false;
            caller.interrupt();
        }
        return transfer;
    }

    private void runTransfer(Transfer wanted) {
        long result = 0;
        Throwable thrown = null;
        try {
            result = wanted.run();
        } catch (Throwable e) { // for this thread to throw
            thrown = e;
        }
        synchronized (this) {
            transferResult = result;
            transferFailure = thrown;
            transfer = null;
            notifyAll();
        }
    }

    /** Whether this thread waits, perhaps by way of others, for a lock that the caller's thread holds. */
    private boolean holdsBack() {
        State state = getState();
        if (state != State.BLOCKED && state != State.WAITING && state != State.TIMED_WAITING) {
            return false;
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long id = getId();
        for (int i = 0; i < WATCHED_THREADS; i++) {
            ThreadInfo info = threads.getThreadInfo(id);
            id = info == null ? -1 : info.getLockOwnerId();
            if (id == caller.getId()) {
                return true;
            }
            if (id < 0) {
                return false;
            }
        }
        return false;
    }

    /** Reads from a source, writes to a sink, or asks what depends on the thread, on the thread of the operation's caller. */
    public static long transfer(Transfer wanted) throws IOException {
        return currentThread() instanceof LargerStack thread ? thread.transferByCaller(wanted) : wanted.run();
    }

    private long transferByCaller(Transfer wanted) throws IOException {
        boolean interruptedMeanwhile = false;
        long result;
        Throwable thrown;
        synchronized (this) {
            if (abandoned) {
                throw new IOException("the operation has failed already");
            }
            wasInterrupted = interrupted();
            transferFailure = null;
            transfer = wanted;
            notifyAll();
            while (transfer != null) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interruptedMeanwhile = true;
                }
            }
            result = transferResult;
            thrown = transferFailure;
        }
        if (interruptedMeanwhile) {
            interrupt();
        }
        if (thrown != null) {
            throw Access.sneaky(thrown);
        }
        return result;
    }
}
