package org.heapspan.spark.nativerdd;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskInterruptListener;
import org.heapspan.nativerdd.NativeWorker;

/**
 * The process in which a task runs its stages if an attempt before it has failed, as that may have been a crash. One for each thread of each task, until the
 * task ends.
 */
final class TaskWorker {
    /** A task may read one input in a thread of its own, while it works on another. */
    private record Reader(long task, Thread thread) {}

    private static final Map<Reader, NativeWorker> OF_TASKS = new ConcurrentHashMap<>();

    private TaskWorker() {}

    static NativeWorker of(TaskContext context) {
        Reader reader = new Reader(context.taskAttemptId(), Thread.currentThread());
        NativeWorker known = OF_TASKS.get(reader);
        if (known != null) {
            return known;
        }
        NativeWorker worker = NativeWorker.start();
        OF_TASKS.put(reader, worker);
        // The thread of the task waits for the process, and an interrupt does not end that.
        TaskInterruptListener killed = (task, why) -> worker.kill();
        context.addTaskInterruptListener(killed);
        context.addTaskCompletionListener(task -> {
            OF_TASKS.remove(reader);
            worker.close();
            return null;
        });
        return worker;
    }
}
