package org.heapspan;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names for class loaders. A {@link TypeRegistry} uses them to tell apart classes of equal name and layout from different loaders, such as those of two
 * plug-ins, or of two deployments of one program. Each JVM gives the names to loaders of its own. A class comes from the loader that has the name there.
 *
 * <p>A class belongs to the scope of the loader that defined it. Loaders without a name share the <em>unnamed scope</em>, whose name is empty. The loaders
 * of the JDK and of the class path are among them. Classes of the unnamed scope come from where the reader finds classes
 * ({@link HeapspanBuilder#classLoader}).
 *
 * <p>Thread-safe. Loaders are held weakly: the name of a loader that is gone is free again.
 */
public final class LoaderScopes {
    /** Name of the scope of all loaders that have no name. */
    public static final String UNNAMED = "";

    private final Map<String, WeakReference<ClassLoader>> loaders = new HashMap<>();
    private volatile int generation;

    /** Creates a mapping without names. */
    public LoaderScopes() {}

    /**
     * Gives a loader a name. If another loader had it, that one has no name from now on. Do so before objects of the loader's
     * classes are written: what was written before stays in the scope that the loader had then.
     *
     * @param name the name, equal in all JVMs that exchange images
     * @param loader the loader; it is held weakly
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
     * @return the loader, or null if none bears the name here, or it is gone
     */
    public @Nullable ClassLoader loaderOf(String name) {
        synchronized (loaders) {
            WeakReference<ClassLoader> loader = loaders.get(name);
            return loader == null ? null : loader.get();
        }
    }

    /**
     * Counts the names given so far, so that what was derived from the names can be found to be out of date.
     *
     * @return a number that changes with each call of {@link #name}
     */
    public int generation() {
        return generation;
    }
}
