package org.heapspan.benchmarks.data;

/** What plays a {@link Media}. */
public enum Player {
    JAVA,
    FLASH
}
