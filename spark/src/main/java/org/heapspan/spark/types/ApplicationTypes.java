package org.heapspan.spark.types;

import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The registry of the application that runs in this JVM. Serializers are made by Spark before there is one, and some come with tasks, so
 * that they look here. Thread-safe.
 */
public final class ApplicationTypes {
    private static volatile @Nullable TypeRegistry registry;

    private ApplicationTypes() {}

    /** The registry; null if there is none, or none is wanted. */
    public static @Nullable TypeRegistry registry() {
        return registry;
    }

    /** Makes a registry that of this JVM. */
    public static void use(TypeRegistry chosen) {
        registry = chosen;
    }

    /** Ends the use of a registry, if it is in use. */
    public static synchronized void end(@Nullable TypeRegistry ended) {
        if (registry == ended) {
            registry = null;
        }
    }
}
