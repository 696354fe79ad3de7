package org.heapspan.benchmarks.giraph;

import java.nio.file.Path;
import java.util.List;
import org.heapspan.giraph.SecondHeapEdges;
import org.heapspan.giraph.SecondHeapMessageStoreFactory;
import org.heapspan.giraph.SecondHeapObserver;

/** Where a job keeps edges and messages. */
enum Storage {
    /** Giraph as it is: as bytes on the Java heap. */
    MEMORY("Giraph in memory"),
    /** Giraph's own mode for graphs that are too large. */
    OUT_OF_CORE("Giraph out of core"),
    SECOND_HEAP("second heap"),
    /** Moves only when the Java heap is full. */
    WITHOUT_HINT("second heap without transfer hint"),
    /** When the Java heap is full, everything moves. */
    WITHOUT_LOW_THRESHOLD("second heap without low threshold"),
    /** Nothing moves because the Java heap is full. */
    WITHOUT_THRESHOLDS("second heap without thresholds");

    private final String title;

    Storage(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    boolean isSecondHeap() {
        return this != MEMORY && this != OUT_OF_CORE;
    }

    /** Observers that the job needs, beside others. */
    String observers(String other) {
        return isSecondHeap() ? other + "," + SecondHeapObserver.class.getName() : other;
    }

    /** Settings of a job, each {@code key=value}. */
    List<String> settings(Path folder) {
        if (this == MEMORY) {
            return List.of();
        }
        if (this == OUT_OF_CORE) {
            return List.of(
                    "giraph.useOutOfCoreGraph=true", "giraph.partitionsDirectory=" + folder.resolve("partitions"));
        }
        return List.of(
                "giraph.outEdgesClass=" + SecondHeapEdges.class.getName(),
                "giraph.messageStoreFactoryClass=" + SecondHeapMessageStoreFactory.class.getName(),
                "giraph.heapspan.directory=" + folder.resolve("second-heap"),
                "giraph.heapspan.transferHint=" + (this != WITHOUT_HINT),
                "giraph.heapspan.highThreshold=" + (this == WITHOUT_THRESHOLDS ? 0 : 0.85),
                "giraph.heapspan.lowThreshold=" + (this == WITHOUT_LOW_THRESHOLD ? 0 : 0.5));
    }
}
