package org.heapspan.benchmarks.spark;

import java.util.List;
import org.heapspan.benchmarks.OfRun;

/** What one application on Spark took: a bean for files of figures, in part written by {@code Run} of the workloads. */
final class Application extends OfRun {
    public String jdk = "";
    public String workload = "";
    public String title = "";
    public String peer = "";
    public double scale;

    /** How often it ran the workload. */
    public int times;

    /** Why there are no figures; empty if there are. */
    public String failure = "";

    public List<String> results = List.of();
    public List<Double> wallSeconds = List.of();

    /** Processor time of the executors' JVMs in each run of the workload; empty in older files. */
    public List<Double> cpuSeconds = List.of();

    public double executorCpuSeconds;

    /** Processor time of all processes from the submission to the end, with the start of driver and executors; 0 in older files. */
    public double wholeCpuSeconds;

    public double taskCpuSeconds;

    /** Processor time of the tasks in each run of the workload; empty in older files. */
    public List<Double> taskCpuSecondsOfRuns = List.of();

    public double taskSeconds;
    public double collectorSeconds;
    public long shuffleBytes;
    public long spilledBytes;
    public long tasks;
    public long failedTasks;
    public long lostExecutors;

    /** How often a cached partition had to leave memory, and how often one was stored that had been lost. */
    public long evictedPartitions;

    public long storedAgain;

    /** When most was cached, the second heap counted as memory, as Spark does. */
    public long cachedMemoryBytes;

    public long cachedDiskBytes;
    public long cachedPartitions;
    public long partitionsToCache;

    /** The most that second heaps held. */
    public long secondHeapBytes;

    /** Partitions that second heaps did not take. */
    public long declinedPartitions;

    /** Peak of the executors' memory, all together: with pages of mapped files, and without. */
    public long residentBytes;

    public long anonymousBytes;

    /** What the executors' heaps held at the end, after a garbage collection; 0 if the workload does not say. */
    public long heapBytes;

    /** Pauses of the executors' collectors, by their logs, and how many of them were for full collections. */
    public double pauseSeconds;

    public long fullCollections;

    /** Heap of an executor. */
    public int heapMegabytes;

    /** How much memory both executors might have together, with pages of files, and the most that they had; 0 without a limit. */
    public int memoryMegabytes;

    public long memoryPeakBytes;

    /** Of the samples of running code, which share was in a serializer; not a number if none were taken. */
    public double serializationShare = Double.NaN;

    /** Whether the other is of the same workload on the same JDK within the same memory. */
    boolean isOfTheJobOf(Application other) {
        return jdk.equals(other.jdk) && workload.equals(other.workload) && memoryMegabytes == other.memoryMegabytes;
    }

    /** Whether one of the same job had as much to do as the other, and, with the same contender, as much heap for it. */
    boolean isComparableWith(Application other) {
        return scale == other.scale
                && times == other.times
                && (!peer.equals(other.peer) || heapMegabytes == other.heapMegabytes);
    }

    double wall() {
        return wallSeconds.stream().mapToDouble(Double::doubleValue).sum();
    }

    boolean isSampled() {
        return !Double.isNaN(serializationShare);
    }
}
