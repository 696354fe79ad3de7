package org.heapspan.benchmarks.data;

import java.io.Serializable;

/** A node of a singly linked list. */
public final class Node implements Serializable {
    private static final long serialVersionUID = 1L;

    public long value;
    public Node next;

    public Node() {}

    Node(long value, Node next) {
        this.value = value;
        this.next = next;
    }
}
