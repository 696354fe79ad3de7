package org.heapspan.image.graph;

import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Checks, while something is written, that a reader of the same engine can find each class by its name, and finds the same class. It
 * refuses other classes, for example classes of other loaders that a program has compiled for itself.
 *
 * <p>Thread-safe. It does not prevent the unloading of classes: it remembers only classes that the engine's class loader has found, and a
 * loader keeps those anyway.
 */
public final class FindableClasses {
    private final TypeResolver resolver;
    private final @Nullable RegisteredTypes registeredTypes;

    /** Set where the loader is always the same. */
    private final @Nullable Known ofFixedLoader;

    /** Of the loader that was asked last; nothing else refers to it, so that it goes with the next collection. */
    private volatile WeakReference<@Nullable Known> latest = new WeakReference<>(null);

    /**
     * What a loader finds.
     *
     * @param found classes that are found by their names, as far as they have been asked for
     */
    private record Known(@Nullable ClassLoader loader, Set<Class<?>> found) {
        Known(@Nullable ClassLoader loader) {
            this(loader, ConcurrentHashMap.newKeySet());
        }
    }

    /**
     * Creates one that knows of no class yet.
     *
     * @param resolver of the readers; knows the loader
     * @param fixedLoader the loader, if it is always the same
     */
    public FindableClasses(
            TypeResolver resolver, @Nullable ClassLoader fixedLoader, @Nullable RegisteredTypes registeredTypes) {
        this.resolver = resolver;
        this.registeredTypes = registeredTypes;
        ofFixedLoader = fixedLoader == null ? null : new Known(fixedLoader);
    }

    private Known known() {
        Known fixed = ofFixedLoader;
        if (fixed != null) {
            return fixed;
        }
        ClassLoader loader = resolver.loader();
        Known known = latest.get();
        if (known == null || known.loader != loader) {
            known = new Known(loader);
            latest = new WeakReference<>(known);
        }
        return known;
    }

    /**
     * Checks a class that an image describes.
     *
     * @throws HeapspanException of category CLASS_REFUSED
     */
    void check(Codec described) {
        TypeDescription description = described.description;
        Class<?> type = described.type;
        // What is derived is described by a type that every JVM has.
        if (description == null || description.kind() == Kind.DERIVED || isOfNamedLoader(type)) {
            return;
        }
        if (description.kind() == Kind.PROXY) {
            checkProxy(known(), type);
        } else {
            check(known(), named(type, description.name()), type);
        }
    }

    /** The reader makes a class for the same interfaces. */
    private static void checkProxy(Known known, Class<?> type) {
        for (Class<?> each : type.getInterfaces()) {
            check(known, each, type);
        }
    }

    /** A loader that has a name of its own defined the class, and finds it therefore. */
    private boolean isOfNamedLoader(Class<?> type) {
        RegisteredTypes types = registeredTypes;
        return types != null && !types.scopes().scopeOf(type.getClassLoader()).isEmpty();
    }

    /** The class by whose name another is described: that of an enum for a constant with a body, or of a Scala collection. */
    private static Class<?> named(Class<?> type, String name) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            if (c.getName().equals(name)) {
                return c;
            }
        }
        throw new IllegalStateException(type + " is described as " + name);
    }

    /**
     * Checks a class that is in an image by its name alone: as a value, or because objects lie there as they do in the heap.
     *
     * @throws HeapspanException of category CLASS_REFUSED
     */
    void check(Class<?> type) {
        if (Proxy.isProxyClass(type)) {
            checkProxy(known(), type);
        } else {
            check(known(), type, type);
        }
    }

    private static void check(Known known, Class<?> type, Class<?> refused) {
        if (!known.found.contains(type) && !type.isPrimitive()) {
            find(known, type, refused);
        }
    }

    private static void find(Known known, Class<?> type, Class<?> refused) {
        Class<?> found;
        try {
            found = TypeResolver.Admission.find(type.getName(), known.loader);
        } catch (HeapspanException e) {
            throw refused(refused, "nothing", type, known, e);
        }
        if (found != type) {
            throw refused(refused, "another class", type, known, null);
        }
        known.found.add(type);
    }

    private static HeapspanException refused(
            Class<?> refused, String what, Class<?> type, Known known, @Nullable Throwable cause) {
        return new HeapspanException(
                Category.CLASS_REFUSED,
                refused.getName() + " could not be read again: " + known.loader + " finds " + what + " by the name "
                        + type.getName() + ", which is a class of " + type.getClassLoader()
                        + "; set the classLoader(...) that finds it, or leave the object out of the graph",
                cause);
    }

    /** Checks what the image of an object says about its class, or about the class that it is. */
    public void checkObject(Object object, Codec codec) {
        if (object instanceof Class<?> type) {
            check(type);
        } else {
            check(codec.described());
        }
    }
}
