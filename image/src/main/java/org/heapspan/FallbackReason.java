package org.heapspan;

/** The reason why the portable engine decoded a chunk of a raw image, and not the direct engine. */
public enum FallbackReason {
    /** This JVM has no direct engine, or it is switched off. {@code heapspan doctor} gives the reason. */
    NO_DIRECT_ENGINE,

    /** The chunks of a record are not in one array (in a stream), or the image lacks tables that the direct engine needs. */
    NOT_CLOSED,

    /** The chunk came before all records of the previous chunk were read. */
    RECORDS_UNREAD,

    /** The writer's heap has another layout: header, reference size, alignment, array bases. */
    LAYOUT_DIFFERS,

    /** A class is missing, or its fields have other offsets in this JVM, or it has other supertypes or field types. */
    CLASS_DIFFERS,

    /** A class whose instances the JVM tracks (references, class loaders, finalizers), or whose layout could not be verified. */
    CLASS_NOT_CARVED,

    /** A class with fields that are updated after decoding ({@link HeapspanBuilder#registerUpdate}). */
    CLASS_NEEDS_UPDATES,

    /** The chunk could have more objects, or longer arrays, than the reader's limits allow. The portable engine counts exactly. */
    LIMITS,

    /** Native code declined the chunk. {@link EngineStatistics.Fallback#concerning} has its reason. */
    DECLINED
}
