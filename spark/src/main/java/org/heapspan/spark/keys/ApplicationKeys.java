package org.heapspan.spark.keys;

import org.jspecify.annotations.Nullable;

/** The numbered keys of the application that runs in this JVM, for serializers, as {@code ApplicationTypes}. Thread-safe. */
public final class ApplicationKeys {
    private static volatile @Nullable ClusterKeys keys;

    private ApplicationKeys() {}

    /** The keys; null if none have numbers. */
    public static @Nullable ClusterKeys keys() {
        return keys;
    }

    /** Makes keys those of this JVM. */
    public static void use(ClusterKeys chosen) {
        keys = chosen;
    }

    /** Ends the use of keys, if they are in use. */
    public static synchronized void end(@Nullable ClusterKeys ended) {
        if (ended != null && keys == ended) {
            keys = null;
            ended.close();
        }
    }
}
