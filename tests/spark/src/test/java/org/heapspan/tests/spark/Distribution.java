package org.heapspan.tests.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/** What {@code ./dev build} leaves in {@code dist}, made of what the build has made so far. */
final class Distribution {
    private static final Path ASSEMBLY =
            SparkRun.HEAPSPAN_JAR.resolve("../../../assembly").normalize();

    /** Of the command line. */
    static final Path JAR = ASSEMBLY.resolve("target/heapspan.jar");

    private Distribution() {}

    /** The program {@code heapspan} of a distribution in a folder. */
    static Path in(Path folder) throws IOException {
        Path dist = folder.resolve("dist");
        Files.createDirectories(dist.resolve("bin"));
        put(SparkRun.HEAPSPAN_JAR, dist.resolve("heapspan-spark.jar"));
        put(JAR, dist.resolve("heapspan.jar"));
        Path program = dist.resolve("bin/heapspan");
        put(ASSEMBLY.resolve("src/main/bin/heapspan"), program);
        Path headers = ASSEMBLY.resolve("../../native/include").normalize();
        try (Stream<Path> files = Files.walk(headers)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = dist.resolve("include").resolve(headers.relativize(file));
                Files.createDirectories(copy.getParent());
                put(file, copy);
            }
        }
        if (!program.toFile().setExecutable(true)) {
            throw new IOException(program + " cannot be made executable");
        }
        return program;
    }

    private static void put(Path source, Path destination) throws IOException {
        Files.copy(source, destination, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
    }
}
