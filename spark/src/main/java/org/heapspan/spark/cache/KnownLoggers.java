package org.heapspan.spark.cache;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loggers of this JVM that are known by their names: records that are read from the second heap log by the very loggers by which they did before. */
final class KnownLoggers {
    private KnownLoggers() {}

    /** Tells known loggers from other instances of a class; null if it is no class of loggers. */
    static @Nullable Predicate<Object> of(Class<?> type) {
        return Logger.class.isAssignableFrom(type) ? KnownLoggers::isKnown : null;
    }

    @SuppressWarnings("ReferenceEquality") // Identity is what it is about.
    private static boolean isKnown(Object logger) {
        String name = ((Logger) logger).getName();
        return name != null && LoggerFactory.getLogger(name) == logger;
    }
}
