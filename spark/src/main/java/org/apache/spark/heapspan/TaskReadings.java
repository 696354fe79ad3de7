package org.apache.spark.heapspan;

import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;

/**
 * What tasks are reading of a {@link PartitionStorage}, to be closed when they end: a task that takes the first few records only never comes to
 * the end. What has been read to its end is forgotten at once, since a task may read a partition as often as it has records of another
 * (a Cartesian product does). What nobody refers to any more is not kept either. A task may take the first records of many partitions (after
 * {@code coalesce}). Each partition that is open has a group of decoded records.
 *
 * <p>Thread-safe.
 */
final class TaskReadings {
    /** By task, which is itself alone. */
    private final Map<TaskContext, Set<PartitionStorage.Values>> ofTasks = new ConcurrentHashMap<>();

    /**
     * Begins to read.
     *
     * @param task on whose behalf; null if that is none
     * @return the values, for one thread
     */
    Iterator<Object> begin(@Nullable TaskContext task, PartitionStorage.Values values) {
        if (task == null) {
            return values;
        }
        Set<PartitionStorage.Values> open = ofTasks.get(task);
        if (open == null) {
            open = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
            Set<PartitionStorage.Values> before = ofTasks.putIfAbsent(task, open);
            if (before == null) {
                // The context of a barrier stage tells its listeners of another one, which is within it.
                task.addTaskCompletionListener((TaskCompletionListener) any -> end(task));
            } else {
                open = before;
            }
        }
        open.add(values);
        if (ofTasks.get(task) != open) {
            // The task has ended meanwhile, perhaps before this was among what it reads.
            values.close();
        }
        return new Reading(values, open);
    }

    private void end(TaskContext task) {
        Set<PartitionStorage.Values> open = ofTasks.remove(task);
        if (open != null) {
            for (PartitionStorage.Values values : open.toArray(PartitionStorage.Values[]::new)) {
                values.close();
            }
        }
    }

    /** Values that are among those which are open until their end. */
    private record Reading(PartitionStorage.Values values, Set<PartitionStorage.Values> open)
            implements Iterator<Object> {
        @Override
        public boolean hasNext() {
            boolean more = values.hasNext();
            if (!more) {
                open.remove(values);
            }
            return more;
        }

        @Override
        public Object next() {
            return values.next();
        }
    }
}
