package org.heapspan.tests.spark.jobs;

import java.util.concurrent.TimeoutException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** What the tasks of an application say of their shuffles, summed up. */
final class ShuffleTotals extends SparkListener {
    private static final long MOST_MILLIS = 240_000;

    private long writtenRecords;
    private long writtenBytes;
    private long readRecords;
    private long readBytes;
    private long spilledMemoryBytes;
    private long spilledDiskBytes;
    private long peakMemoryBytes;
    private long cpuNanos;

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        TaskMetrics metrics = end.taskMetrics();
        if (metrics == null || !end.taskInfo().successful()) {
            return;
        }
        writtenRecords += metrics.shuffleWriteMetrics().recordsWritten();
        writtenBytes += metrics.shuffleWriteMetrics().bytesWritten();
        readRecords += metrics.shuffleReadMetrics().recordsRead();
        readBytes += metrics.shuffleReadMetrics().totalBytesRead();
        spilledMemoryBytes += metrics.memoryBytesSpilled();
        spilledDiskBytes += metrics.diskBytesSpilled();
        cpuNanos += metrics.executorCpuTime();
        peakMemoryBytes = Math.max(peakMemoryBytes, metrics.peakExecutionMemory());
    }

    /** Waits until listeners have heard of all that has happened, however slow the machine is. By itself Spark would wait for ten seconds. */
    static void awaitListeners(JavaSparkContext context) {
        try {
            context.sc().listenerBus().waitUntilEmpty(MOST_MILLIS);
        } catch (TimeoutException e) {
            throw new IllegalStateException("listeners have not heard of all events after " + MOST_MILLIS + " ms", e);
        }
    }

    /** Whether all that was written was read, once. */
    synchronized String balance() {
        boolean records = writtenRecords == readRecords && writtenRecords > 0;
        boolean bytes = writtenBytes == readBytes && writtenBytes > 0;
        return records && bytes
                ? "balanced"
                : writtenRecords + " records and " + writtenBytes + " bytes written, " + readRecords + " and "
                        + readBytes + " read";
    }

    /** How many records were written and read. */
    synchronized String records() {
        return writtenRecords + " written, " + readRecords + " read";
    }

    /** Forgets what was spilled so far. */
    synchronized void forgetSpills() {
        spilledMemoryBytes = 0;
        spilledDiskBytes = 0;
    }

    synchronized boolean spilled() {
        return spilledMemoryBytes > 0 && spilledDiskBytes > 0;
    }

    synchronized double cpuSeconds() {
        return cpuNanos / 1e9;
    }

    synchronized long spilledMemoryBytes() {
        return spilledMemoryBytes;
    }

    synchronized long peakMemoryBytes() {
        return peakMemoryBytes;
    }
}
