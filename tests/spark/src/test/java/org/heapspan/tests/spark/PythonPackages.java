package org.heapspan.tests.spark;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** The Python that has pandas and Arrow, which {@code ./dev soak spark} installs. */
final class PythonPackages {
    private PythonPackages() {}

    static Path interpreter() {
        String python = System.getProperty("heapspan.python", "");
        assumeTrue(
                !python.isEmpty() && Files.isExecutable(Path.of(python)),
                "no Python with pandas and pyarrow; ./dev soak spark installs one, and -Dheapspan.python names it");
        return Path.of(python);
    }
}
