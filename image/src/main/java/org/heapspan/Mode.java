package org.heapspan;

/** What happens to transient fields. */
public enum Mode {
    /** Transient fields arrive cleared, as with Java serialization. The default. */
    SERIAL,
    /** Transient fields are copied like all others. */
    CLONE
}
