package org.heapspan.spark.settings;

/** Under which name the adapter logs: one for all of it, that of the plug-in, so that users find its lines and set its level in one place. */
public final class HeapspanLog {
    /** Name of the logger. */
    public static final String NAME = "org.heapspan.spark.HeapspanPlugin";

    private HeapspanLog() {}
}
