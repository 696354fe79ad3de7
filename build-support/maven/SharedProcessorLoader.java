package org.heapspan.build;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The class loader of javac's plug-ins ({@code -XDprocloader}): one for all compilations of a JVM. Left to itself, javac loads Error Prone
 * anew for each, and the JVM compiles its hot methods anew.
 */
public final class SharedProcessorLoader extends ClassLoader {
    private static final Map<String, ClassLoader> BY_PATH = new HashMap<>();

    /** Called by javac. */
    public SharedProcessorLoader(URL[] path, ClassLoader parent) {
        super(shared(path, parent));
    }

    private static synchronized ClassLoader shared(URL[] path, ClassLoader parent) {
        return BY_PATH.computeIfAbsent(Arrays.toString(path), any -> new URLClassLoader(path, parent));
    }
}
