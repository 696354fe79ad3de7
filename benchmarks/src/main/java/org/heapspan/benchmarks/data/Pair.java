package org.heapspan.benchmarks.data;

import java.io.Serializable;

/** A boxed long and a boxed double: what a key-value record of a shuffle looks like. */
public final class Pair implements Serializable {
    private static final long serialVersionUID = 1L;

    public Long first;
    public Double second;

    public Pair() {}

    Pair(Long first, Double second) {
        this.first = first;
        this.second = second;
    }
}
