package org.heapspan.cli;

import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a command finds around it, besides its words.
 *
 * @param environment variables
 * @param ownJar the jar or the folder of classes that the command line runs from
 * @param notes where the user reads what is going on, besides the result
 */
record Surroundings(Map<String, String> environment, Path ownJar, PrintStream notes) {

    static Surroundings ofProcess(PrintStream notes) {
        try {
            Path ownJar = Path.of(Surroundings.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return new Surroundings(System.getenv(), ownJar, notes);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a class path that is no URI", e);
        }
    }

    /** A variable; empty if it is not set. */
    String variable(String name) {
        return environment.getOrDefault(name, "");
    }

    /** The folder for what can be made again, or null if there is none. */
    @Nullable
    Path cache() {
        String cache = variable("XDG_CACHE_HOME");
        String home = variable("HOME");
        if (cache.isEmpty() && home.isEmpty()) {
            return null;
        }
        return (cache.isEmpty() ? Path.of(home, ".cache") : Path.of(cache)).resolve("heapspan");
    }

    void note(String line) {
        notes.println("heapspan: " + line);
    }
}
