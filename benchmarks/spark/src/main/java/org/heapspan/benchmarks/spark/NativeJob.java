package org.heapspan.benchmarks.spark;

import java.util.Locale;
import org.heapspan.benchmarks.Choice;

/** A job that there is as a native program and in Scala; its workload is {@code twin-} and its option's name. */
enum NativeJob implements Choice {
    WORDS("word_count", UnpackedData.NOVELS),
    RANKS("page_rank", "cnr-2000.txt"),
    COMPONENTS("connected_components", "ego-Twitter-undirected.txt"),
    TRIANGLES("triangle_count", UnpackedData.WIKIPEDIA),
    CLUSTERS("kmeans", MadeUpPoints.IN_SPACE),
    PLANE("logistic_regression", MadeUpPoints.OF_TWO_CLASSES),
    SORT("terasort", MadeUpRecords.TO_SORT);

    private final String program;
    private final String data;

    NativeJob(String program, String data) {
        this.program = program;
        this.data = data;
    }

    /** The source in {@code examples/native}, without {@code .cpp}. */
    String program() {
        return program;
    }

    /** The plain file that it reads. */
    String data() {
        return data;
    }

    /** Whether its data are made up. */
    boolean isOfMadeUpData() {
        return this == CLUSTERS || this == PLANE || this == SORT;
    }

    /** Whether its data are the edges of a graph. */
    boolean isOfGraph() {
        return this == RANKS || this == COMPONENTS || this == TRIANGLES;
    }

    /** Whether {@code build-support/thrill} has a program of it. */
    boolean isForThrill() {
        return this == WORDS || this == RANKS || this == CLUSTERS;
    }

    /** Whether {@code build-support/plain} has a program of it. */
    boolean isForPlain() {
        return this != SORT;
    }

    String workload() {
        return "twin-" + name().toLowerCase(Locale.ROOT);
    }
}
