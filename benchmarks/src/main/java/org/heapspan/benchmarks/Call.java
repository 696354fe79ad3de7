package org.heapspan.benchmarks;

/** How many records one call of a peer carries. */
enum Call {
    /** All records of the data set. */
    CHUNK,
    /** One record, self-contained. */
    SINGLE
}
