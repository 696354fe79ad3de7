package org.heapspan.tests.fuzz;

import java.util.HashSet;
import java.util.Set;

/** Remembers which classes it was asked for. For one thread. */
final class RecordingLoader extends ClassLoader {
    private final Set<String> asked = new HashSet<>();

    RecordingLoader() {
        super(RecordingLoader.class.getClassLoader());
    }

    /** Names of the classes since {@link #forget}. */
    Set<String> asked() {
        return asked;
    }

    void forget() {
        asked.clear();
    }

    @Override
    protected Class<?> loadClass(String className, boolean resolve) throws ClassNotFoundException {
        asked.add(className);
        return super.loadClass(className, resolve);
    }
}
