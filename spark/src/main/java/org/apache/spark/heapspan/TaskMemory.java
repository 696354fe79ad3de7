package org.apache.spark.heapspan;

import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Memory outside of the heap that a task reserves and gives back by itself. Counts as Spark's own off-heap memory if that is switched on, and as memory
 * of the heap otherwise. It cannot be asked back. For the thread of the task.
 *
 * <p>Relies on {@code core/.../memory/MemoryConsumer.java} and {@code TaskMemoryManager.java}.
 */
public final class TaskMemory extends MemoryConsumer {
    private long peakBytes;

    /**
     * The memory of a task.
     *
     * @param context the task
     */
    public TaskMemory(TaskContext context) {
        this(context.taskMemoryManager());
    }

    private TaskMemory(TaskMemoryManager memory) {
        super(memory, memory.getTungstenMemoryMode());
    }

    /**
     * Reserves all, or nothing.
     *
     * @param sizeBytes how much
     * @return whether it was granted
     */
    public boolean reserve(long sizeBytes) {
        long granted = acquireMemory(sizeBytes);
        if (granted < sizeBytes) {
            if (granted > 0) {
                freeMemory(granted);
            }
            return false;
        }
        peakBytes = Math.max(peakBytes, getUsed());
        return true;
    }

    /**
     * Gives memory back.
     *
     * @param sizeBytes how much; of what was not reserved, nothing
     */
    public void release(long sizeBytes) {
        long bytes = Math.min(sizeBytes, getUsed());
        if (bytes > 0) {
            freeMemory(bytes);
        }
    }

    /**
     * The most that was reserved at a time.
     *
     * @return bytes
     */
    public long peakBytes() {
        return peakBytes;
    }

    @Override
    public long spill(long sizeBytes, MemoryConsumer trigger) {
        return 0;
    }
}
