package org.heapspan.benchmarks.graph;

import org.heapspan.benchmarks.OfRun;

/** A job of Giraph in a JVM of its own, or one that failed; a bean. */
public final class GraphJob extends OfRun {
    /** How far rounded results may differ: their order of addition is not the same in each run. */
    private static final double ROUNDING = 1e-9;

    public GraphWorkload workload = GraphWorkload.PR;
    public String graph = "";
    public GraphPeer peer = GraphPeer.HEAPSPAN;
    public String jdk = "";
    public String collector = "";
    public int heapMegabytes;

    /** What the process may have together with pages of its files; 0 for no limit. */
    public int memoryMegabytes;

    /** Whether it was run to find the least memory that suffices, with as large a Java heap as that memory allows. */
    public boolean trial;

    public int partitions;

    /** Of PageRank and label propagation. */
    public int iterations;

    /** Why there are no figures; empty if there are. */
    public String failure = "";

    public int supersteps;

    public double loadSeconds;
    public double computeSeconds;

    /** To write the results. */
    public double saveSeconds;

    /** How long the threads stood still for the collector. */
    public double collectionSeconds;

    public long fullCollections;
    public double processorSeconds;

    /** The most of the process, with pages of files that it has mapped. */
    public long residentPeakBytes;

    /** The most of the process together with pages of its files; 0 if there is no limit, because then nobody counts it. */
    public long memoryPeakBytes;

    /** From the device. */
    public long readBytes;

    public long writtenBytes;

    /** Number of the vertices that have a result. */
    public long vertices;

    /** Of the results, each with a weight that depends on its vertex. */
    public double weightedSum;

    /** Of vertices and results, where these are not rounded. */
    public long hash;

    /** Loading, all supersteps, and writing results. */
    public double seconds() {
        return loadSeconds + computeSeconds + saveSeconds;
    }

    boolean succeeded() {
        return failure.isEmpty();
    }

    /** Whether the other was run in the same way. */
    boolean isLike(GraphJob other) {
        return isAnswerLike(other)
                && peer == other.peer
                && jdk.equals(other.jdk)
                && collector.equals(other.collector)
                && heapMegabytes == other.heapMegabytes
                && memoryMegabytes == other.memoryMegabytes
                && trial == other.trial
                && partitions == other.partitions;
    }

    /** Whether the other must find the same. */
    boolean isAnswerLike(GraphJob other) {
        return workload == other.workload && graph.equals(other.graph) && iterations == other.iterations;
    }

    boolean hasAnswerOf(GraphJob other) {
        return vertices == other.vertices
                && hash == other.hash
                && Math.abs(weightedSum - other.weightedSum) <= ROUNDING * Math.abs(other.weightedSum);
    }

    /** Where and how it was run, but not which algorithm, which peer and how large a heap. */
    Setting setting() {
        return new Setting(graph, memoryMegabytes, jdk, collector, partitions, iterations);
    }

    /** What jobs have in common that one table compares. */
    record Setting(String graph, int memoryMegabytes, String jdk, String collector, int partitions, int iterations) {
        /** The same with any memory. */
        Setting withoutMemory() {
            return new Setting(graph, 0, jdk, collector, partitions, iterations);
        }
    }
}
