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
    WITHOUT_THRESHOLDS("Heapspan without thresholds"),
    /** Nothing moves until the Java heap fills; then everything does. */
    WITHOUT_HINT_AND_LOW_THRESHOLD("Heapspan without transfer hint and low threshold"),
    /** Nothing moves: edges and messages stay on the Java heap, in the pages of the second heap. */
    WITHOUT_HINT_AND_THRESHOLDS("Heapspan without transfer hint and thresholds");

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

    /** Whether edges and messages move although the Java heap is not full. */
    public boolean hasTransferHint() {
        return this != WITHOUT_HINT && this != WITHOUT_HINT_AND_LOW_THRESHOLD && this != WITHOUT_HINT_AND_THRESHOLDS;
    }

    /** Whether a full Java heap makes edges and messages move. */
    public boolean hasHighThreshold() {
        return this != WITHOUT_THRESHOLDS && this != WITHOUT_HINT_AND_THRESHOLDS;
    }

    /** Whether a part of them may stay on the Java heap then. */
    public boolean hasLowThreshold() {
        return this != WITHOUT_LOW_THRESHOLD && this != WITHOUT_HINT_AND_LOW_THRESHOLD;
    }

    /** The rivals that the first table of a page compares with. */
    static List<GraphPeer> rivals() {
        return List.of(OUT_OF_CORE, BYTES, OBJECTS);
    }
}
