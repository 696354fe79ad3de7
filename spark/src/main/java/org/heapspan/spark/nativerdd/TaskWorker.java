package org.heapspan.spark.nativerdd;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.heapspan.nativerdd.NativeWorker;

/** The process in which a task runs its stages if an attempt before it has failed, as that may have been a crash. One for each task, until it ends. */
final class TaskWorker {
    private static final Map<Long, NativeWorker> OF_TASKS = new ConcurrentHashMap<>();

    private TaskWorker() {}

    static NativeWorker of(TaskContext context) {
        long id = context.taskAttemptId();
        NativeWorker known = OF_TASKS.get(id);
        if (known != null) {
            return known;
        }
        NativeWorker worker = NativeWorker.start();
        OF_TASKS.put(id, worker);
        context.addTaskCompletionListener(task -> {
            OF_TASKS.remove(id);
            worker.close();
            return null;
        });
        return worker;
    }
}
