package org.heapspan.benchmarks;

import java.nio.file.Path;

/**
 * A JDK to measure on.
 *
 * @param name its feature version, {@code 25}
 */
public record Jdk(String name, Path home) {
    /** The one that runs this program. */
    public static Jdk current() {
        return new Jdk(Integer.toString(Runtime.version().feature()), Path.of(System.getProperty("java.home")));
    }

    /**
     * The JDK whose home is in the system property {@code heapspan.jdk<name>.home}, which {@code ./dev} sets, or in the
     * environment variable {@code JAVA<name>_HOME}, or the one that runs this program.
     *
     * @throws IllegalArgumentException if there is none of them
     */
    public static Jdk named(String name) {
        String home = System.getProperty("heapspan.jdk" + name + ".home", System.getenv("JAVA" + name + "_HOME"));
        if (home == null && current().name().equals(name)) {
            return current();
        }
        if (home == null) {
            throw new IllegalArgumentException("no JDK " + name + ": set JAVA" + name + "_HOME to its home");
        }
        return new Jdk(name, Path.of(home));
    }
}
