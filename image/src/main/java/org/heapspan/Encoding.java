package org.heapspan;

/** The two encodings of an object image. {@code docs/encodings.md} helps to choose one. */
public enum Encoding {
    /** Dense and always validated. {@link Heapspan#decode} reads it on every JVM. Use it for data that other processes write or read. */
    COMPACT,

    /**
     * The bytes of objects in the writer's heap. Only {@link Heapspan#decodeTrusted} reads it. Use it for your own files and processes. It is
     * larger, and faster to decode. A JVM without raw memory writes {@link #COMPACT} instead. A reader can have another heap layout.
     */
    RAW
}
