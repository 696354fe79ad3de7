package org.heapspan.flink;

import org.jspecify.annotations.Nullable;

/** Where the classes of a program are found. */
final class UserLoader {
    private UserLoader() {}

    /**
     * Finds the loader for records of a type. Tasks of Flink have a loader that knows the whole program as their context class loader. It is
     * not taken if it does not know the type, or another class of its name.
     */
    static ClassLoader of(Class<?> type) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context != null && find(type.getName(), context) == type) {
            return context;
        }
        ClassLoader own = type.getClassLoader();
        return own != null ? own : UserLoader.class.getClassLoader();
    }

    /**
     * Finds the loader for a duplicate of a serializer. It is that of the current task, or that of the serializer if this is no thread of a task.
     *
     * @param known the loader of the serializer
     */
    static ClassLoader ofDuplicate(Class<?> type, ClassLoader known) {
        ClassLoader current = of(type);
        boolean ofTask = current != type.getClassLoader() && current != UserLoader.class.getClassLoader();
        return ofTask ? current : known;
    }

    /** Finds a class, or returns null; also if the loader is that of a job that has ended, which Flink has closed. */
    static @Nullable Class<?> find(String className, ClassLoader loader) {
        try {
            return Class.forName(className, false, loader);
        } catch (ClassNotFoundException | LinkageError | IllegalStateException e) {
            return null;
        }
    }
}
