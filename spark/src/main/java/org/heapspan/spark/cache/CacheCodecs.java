package org.heapspan.spark.cache;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import org.heapspan.Heapspan;
import org.heapspan.Mode;
import org.heapspan.ObjectLinks;
import org.jspecify.annotations.Nullable;

/** What encodes and decodes cached objects, by the loader that finds their classes. Loaders of ended sessions go. Thread-safe. */
final class CacheCodecs {
    private final @Nullable ClassLoader ordinary;
    private final ObjectLinks links;
    private final Heapspan ofOrdinary;

    /** They refer to their loaders, and are held by those who use them. Guarded by itself. */
    private final Map<ClassLoader, WeakReference<Heapspan>> others = new WeakHashMap<>();

    /**
     * Begins.
     *
     * @param ordinary the loader of the application; null for that of Heapspan
     * @param links what cached objects share
     */
    CacheCodecs(@Nullable ClassLoader ordinary, ObjectLinks links) {
        this.ordinary = ordinary;
        this.links = links;
        ofOrdinary = codec(ordinary);
    }

    private Heapspan codec(@Nullable ClassLoader loader) {
        // Cached objects stay what they are, transient fields included, as on Spark's heap; nobody else can write
        // these bytes; and what could not be read again must not be written, such as objects of a class that a
        // program has compiled for itself.
        return Heapspan.builder()
                .mode(Mode.CLONE)
                .checksum(false)
                .links(links)
                .classLoader(loader == null ? CacheCodecs.class.getClassLoader() : loader)
                .findableOnly(true)
                .build();
    }

    /**
     * Finds or makes one.
     *
     * @param loader where classes are found; null for the loader of the application
     */
    Heapspan of(@Nullable ClassLoader loader) {
        if (loader == null || loader == ordinary) {
            return ofOrdinary;
        }
        synchronized (others) {
            WeakReference<Heapspan> reference = others.get(loader);
            Heapspan known = reference == null ? null : reference.get();
            if (known == null) {
                known = codec(loader);
                others.put(loader, new WeakReference<>(known));
            }
            return known;
        }
    }
}
