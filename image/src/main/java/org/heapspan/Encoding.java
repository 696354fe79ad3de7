package org.heapspan;

/** The two encodings of an object image; {@code docs/encodings.md} says which pays when. */
public enum Encoding {
    /** Dense, always validated, read by {@link Heapspan#decode} everywhere: for everything that crosses a boundary of trust. */
    COMPACT,

    /**
     * Objects as they lie in the writer's heap, read by {@link Heapspan#decodeTrusted} only: for one's own files and processes.
     * Larger, and faster to turn back into objects. A JVM whose heap cannot be looked into writes {@link #COMPACT} in its place;
     * one with another heap layout reads it all the same.
     */
    RAW
}
