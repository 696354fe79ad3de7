package org.heapspan.benchmarks.data;

import java.io.Serializable;

/** A node of a doubly linked ring. */
public final class RingNode implements Serializable {
    private static final long serialVersionUID = 1L;

    public int value;
    public RingNode next;
    public RingNode previous;

    public RingNode() {}

    RingNode(int value) {
        this.value = value;
    }
}
