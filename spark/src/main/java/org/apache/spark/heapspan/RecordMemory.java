package org.apache.spark.heapspan;

import java.io.IOException;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * The share of the task's memory that records take which wait to be written. For the thread of the task; another consumer of that
 * thread may {@linkplain Spillable ask for it back}, in the midst of the iterator that delivers the records.
 *
 * <p>Relies on {@code core/.../memory/MemoryConsumer.java} and {@code TaskMemoryManager.java}.
 */
final class RecordMemory extends MemoryConsumer {
    /** Memory is asked for in steps of a part of what there is, as each request takes locks. */
    private static final long LEAST_STEP_BYTES = 256 << 10;

    private static final long LARGEST_STEP_BYTES = 16 << 20;

    private final Spillable owner;
    private long peakBytes;

    /** What can give its memory back. */
    interface Spillable {
        /**
         * Spills at the request of another consumer.
         *
         * @return bytes that are free now; 0 if it cannot be done at the moment
         */
        long spillForOthers() throws IOException;
    }

    RecordMemory(TaskMemoryManager memoryManager, Spillable owner) {
        super(memoryManager, MemoryMode.ON_HEAP);
        this.owner = owner;
    }

    /** Asks for as much as is missing, and a step more; whether there is enough now. */
    boolean reserve(long neededBytes) {
        long missingBytes = neededBytes - getUsed();
        if (missingBytes > 0) {
            long stepBytes = Math.min(Math.max(neededBytes / 2, LEAST_STEP_BYTES), LARGEST_STEP_BYTES);
            acquireMemory(missingBytes + stepBytes);
            peakBytes = Math.max(peakBytes, getUsed());
        }
        return getUsed() >= neededBytes;
    }

    /** Gives all back. */
    long release() {
        long bytes = getUsed();
        if (bytes > 0) {
            freeMemory(bytes);
        }
        return bytes;
    }

    long peakBytes() {
        return peakBytes;
    }

    @Override
    public long spill(long bytes, MemoryConsumer trigger) throws IOException {
        // For its own needs the owner spills by itself.
        return trigger == this ? 0 : owner.spillForOthers();
    }
}
