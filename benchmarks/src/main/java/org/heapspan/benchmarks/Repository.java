package org.heapspan.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the repository lies. */
public final class Repository {
    private Repository() {}

    /** The folder with {@code ./dev}: the system property {@code heapspan.root}, or found from the working folder upwards. */
    public static Path root() {
        String configured = System.getProperty("heapspan.root");
        if (configured != null) {
            return Path.of(configured);
        }
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isExecutable(folder.resolve("dev")) && Files.exists(folder.resolve("pom.xml"))) {
                return folder;
            }
        }
        throw new IllegalStateException(
                "no Heapspan repository from " + start + " upwards; set -Dheapspan.root=FOLDER");
    }
}
