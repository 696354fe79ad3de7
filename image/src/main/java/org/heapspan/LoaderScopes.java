package org.heapspan;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names of class loaders. With these names a {@link TypeRegistry} distinguishes classes of equal name and layout from different loaders, such as
 * those of two plug-ins, or of two deployments of one program. Each JVM gives the names to its own loaders. A reader finds a class by the loader
 * that has the name in its JVM.
 *
 * <p>A class belongs to the scope of the loader that defined it. Loaders without a name share the <em>unnamed scope</em>, whose name is empty.
 * The loaders of the JDK and of the class path are among them. A reader finds classes of the unnamed scope by {@link
 * HeapspanBuilder#classLoader}.
 *
 * <p>Thread-safe. Loaders are referenced weakly. When a loader has been collected, its name can be used again.
 */
public final class LoaderScopes {
    /** Name of the scope of all loaders that have no name. */
    public static final String UNNAMED = "";

    private final Map<String, WeakReference<ClassLoader>> loaders = new HashMap<>();
    private volatile int generation;

    /** Creates a mapping without names. */
    public LoaderScopes() {}

    /**
     * Gives a loader a name. If another loader has the name, that loader becomes unnamed. Call this method before objects of the loader's
     * classes are written. Bytes that were written before do not change their scope.
     *
     * @param name the name, equal in all JVMs that exchange images
     * @param loader the loader; referenced weakly
     * @return this
     * @throws IllegalArgumentException if the name is empty, or the loader has another name already
     */
    public LoaderScopes name(String name, ClassLoader loader) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    "the name of a loader scope is empty, which is that of the unnamed scope");
        }
        synchronized (loaders) {
            String known = scopeOf(loader);
            if (!known.isEmpty() && !known.equals(name)) {
                throw new IllegalArgumentException("loader " + loader + " has the name \"" + known
                        + "\" already, it cannot also be \"" + name + "\"");
            }
            loaders.put(name, new WeakReference<>(loader));
            generation++;
        }
        return this;
    }

    /**
     * Finds the scope to which the classes of a loader belong.
     *
     * @param loader a loader; null for that of the JVM itself
     * @return its name; empty if it has none
     */
    public String scopeOf(@Nullable ClassLoader loader) {
        if (loader == null) {
            return UNNAMED;
        }
        synchronized (loaders) {
            Iterator<Map.Entry<String, WeakReference<ClassLoader>>> entries =
                    loaders.entrySet().iterator();
            while (entries.hasNext()) {
                Map.Entry<String, WeakReference<ClassLoader>> entry = entries.next();
                ClassLoader named = entry.getValue().get();
                if (named == loader) {
                    return entry.getKey();
                }
                if (named == null) {
                    entries.remove();
                }
            }
        }
        return UNNAMED;
    }

    /**
     * Finds a loader by its name.
     *
     * @param name a name that is not empty
     * @return the loader, or null if no loader has the name in this JVM, or it has been collected
     */
    public @Nullable ClassLoader loaderOf(String name) {
        synchronized (loaders) {
            WeakReference<ClassLoader> loader = loaders.get(name);
            return loader == null ? null : loader.get();
        }
    }

    /**
     * Returns a number that changes when names change. Caches use it to detect that they are out of date.
     *
     * @return a number that changes with each call of {@link #name}
     */
    public int generation() {
        return generation;
    }
}
