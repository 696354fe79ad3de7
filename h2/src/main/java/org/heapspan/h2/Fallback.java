package org.heapspan.h2;

/** What stays on the Java heap, or goes back to it, although it was meant for the second heap. */
enum Fallback {
    /** A root that cannot be stored. */
    ROOT,
    /** Roots that wait for another move, as one failed. */
    MOVE,
    /** The new state of a root, for which there was no place. */
    UPDATE,
    /** Elements that were taken back from an appender. */
    SEQUENCE
}
