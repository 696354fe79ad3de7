package org.heapspan.benchmarks.data;

/** How large an {@link Image} is. */
public enum Size {
    SMALL,
    LARGE
}
