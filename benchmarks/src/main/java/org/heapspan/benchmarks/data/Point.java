package org.heapspan.benchmarks.data;

import java.io.Serializable;

/** Two floats: the smallest record worth moving. */
public final class Point implements Serializable {
    private static final long serialVersionUID = 1L;

    public float x;
    public float y;

    public Point() {}

    Point(float x, float y) {
        this.x = x;
        this.y = y;
    }
}
