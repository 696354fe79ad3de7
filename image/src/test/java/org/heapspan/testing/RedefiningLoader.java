package org.heapspan.testing;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;

/** A loader that has classes of its own under the names of classes of the tests, as applications with several deployments do. */
public final class RedefiningLoader extends ClassLoader {
    private final Set<String> redefined;

    /** Creates a loader that defines these classes anew. */
    public RedefiningLoader(Class<?>... classes) {
        super(RedefiningLoader.class.getClassLoader());
        redefined =
                Set.copyOf(java.util.Arrays.stream(classes).map(Class::getName).toList());
    }

    @Override
    protected Class<?> loadClass(String className, boolean resolve) throws ClassNotFoundException {
        if (!redefined.contains(className)) {
            return super.loadClass(className, resolve);
        }
        synchronized (getClassLoadingLock(className)) {
            Class<?> loaded = findLoadedClass(className);
            return loaded != null ? loaded : define(className);
        }
    }

    private Class<?> define(String className) throws ClassNotFoundException {
        try (InputStream source = getResourceAsStream(className.replace('.', '/') + ".class")) {
            byte[] classFile = source.readAllBytes();
            return defineClass(className, classFile, 0, classFile.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(className, e);
        }
    }

    /** The loader's own class of the name of another. */
    public Class<?> own(Class<?> other) throws ClassNotFoundException {
        return loadClass(other.getName());
    }
}
