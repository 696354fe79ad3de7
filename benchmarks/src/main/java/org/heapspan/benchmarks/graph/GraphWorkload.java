package org.heapspan.benchmarks.graph;

import org.heapspan.benchmarks.Choice;

/** An algorithm of LDBC Graphalytics. */
public enum GraphWorkload implements Choice {
    PR("PageRank"),
    CDLP("label propagation"),
    WCC("connected components"),
    BFS("breadth-first search"),
    SSSP("shortest paths");

    private final String title;

    GraphWorkload(String title) {
        this.title = title;
    }

    /** What tables call it. */
    public String title() {
        return title;
    }
}
