package org.heapspan;

/** Why the portable engine made the objects of a part of a raw image, and not the direct engine. */
public enum FallbackReason {
    /** This JVM has no direct engine, or it is switched off; {@code heapspan doctor} says why. */
    NO_DIRECT_ENGINE,

    /** The chunks of a record do not lie in one array, as in a stream, or do not say all that the direct engine has to know. */
    NOT_CLOSED,

    /** The chunk came before all records of the one before it had been read. */
    RECORDS_UNREAD,

    /** The writer's heap has another layout: header, reference size, alignment, array bases. */
    LAYOUT_DIFFERS,

    /** A class is missing, or its instances do not lie as they do here, or its types are related otherwise. */
    CLASS_DIFFERS,

    /** Instances of a class that the JVM keeps books of (references, class loaders, finalizers), or whose layout could not be verified. */
    CLASS_NOT_CARVED,

    /** A class with fields that get their values after arrival ({@link HeapspanBuilder#registerUpdate}). */
    CLASS_NEEDS_UPDATES,

    /** The chunk could hold more objects, or longer arrays, than the reader's limits allow: the portable engine counts exactly. */
    LIMITS,

    /** The carver declined; {@link EngineStatistics.Fallback#concerning} names its reason. */
    DECLINED
}
