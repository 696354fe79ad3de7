package org.heapspan.benchmarks.graph;

import java.util.List;
import org.heapspan.benchmarks.Choice;

/** How Giraph keeps edges and messages. */
public enum GraphPeer implements Choice {
    HEAPSPAN("Heapspan"),
    OUT_OF_CORE("Giraph, out of core"),
    BYTES("Giraph, edges as bytes (its default)"),
    OBJECTS("Giraph, edges as objects"),
    /** Moves only when the Java heap fills. */
    WITHOUT_HINT("Heapspan without transfer hint"),
    /** When the Java heap fills, everything moves. */
    WITHOUT_LOW_THRESHOLD("Heapspan without low threshold"),
    /** Nothing moves because the Java heap fills. */
    WITHOUT_THRESHOLDS("Heapspan without thresholds");

    private final String title;

    GraphPeer(String title) {
        this.title = title;
    }

    /** Those that are measured unless an option says something else. */
    public static List<GraphPeer> byDefault() {
        return List.of(HEAPSPAN, OUT_OF_CORE, BYTES, OBJECTS);
    }

    /** What tables call it. */
    public String title() {
        return title;
    }

    /** Whether edges and messages are in the second heap. */
    public boolean isSecondHeap() {
        return this != OUT_OF_CORE && this != BYTES && this != OBJECTS;
    }

    /** The rivals that the first table of a page compares with. */
    static List<GraphPeer> rivals() {
        return List.of(OUT_OF_CORE, BYTES, OBJECTS);
    }
}
