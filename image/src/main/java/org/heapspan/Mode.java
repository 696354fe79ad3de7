package org.heapspan;

/** Whether transient fields are copied. */
public enum Mode {
    /** Transient fields are cleared, as in Java serialization. The default. */
    SERIAL,
    /** Transient fields are copied like all others. */
    CLONE
}
