package org.heapspan.spark;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.heapspan.Heapspan;
import org.jspecify.annotations.Nullable;

/** What encodes and decodes cached objects whose classes one loader finds. Thread-safe. */
final class CacheCodec {
    private final Heapspan heapspan;
    private final @Nullable ClassLoader loader;

    /** Classes by name, as the loader finds them; those of the loader, which live as long. */
    private final ConcurrentMap<String, Class<?>> found = new ConcurrentHashMap<>();

    /**
     * Creates one.
     *
     * @param heapspan finds classes by the loader
     * @param loader the loader; null for that of Heapspan
     */
    CacheCodec(Heapspan heapspan, @Nullable ClassLoader loader) {
        this.heapspan = heapspan;
        this.loader = loader != null ? loader : CacheCodec.class.getClassLoader();
    }

    /** Encodes and decodes. */
    Heapspan heapspan() {
        return heapspan;
    }

    /** Whether the name of a class leads to that class again. Hidden classes have no such name, and are the encoder's to refuse. */
    boolean finds(Class<?> type) {
        if (type.getClassLoader() == null || type.isHidden()) {
            return true;
        }
        Class<?> known = found.get(type.getName());
        if (known == null) {
            try {
                known = Class.forName(type.getName(), false, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                return false;
            }
            found.put(type.getName(), known);
        }
        return known == type;
    }
}
