package org.heapspan.testing;

import java.util.concurrent.Executor;

/** Threads for tasks that a test runs at the same time. */
public final class Threads {
    /**
     * A thread of its own for each task. The common pool of Java 25 has one thread for all tasks on a machine with two processors, so that one begins
     * when the one before it has ended.
     */
    public static final Executor FOR_EACH = task -> {
        Thread thread = new Thread(task, "task of a test");
        thread.setDaemon(true);
        thread.start();
    };

    private Threads() {}
}
