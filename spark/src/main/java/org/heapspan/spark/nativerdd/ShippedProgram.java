package org.heapspan.spark.nativerdd;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkFiles;
import org.heapspan.nativerdd.NativeProgram;

/**
 * A native program that Spark sends to all executors as a file.
 *
 * @param file the name of the file in the folder of Spark's files
 * @param buildId what tells it from other programs
 */
record ShippedProgram(String file, String buildId) implements Serializable {
    private static final int DIGITS_IN_NAME = 16;

    /** Sends a copy: the file of the user may change while the application runs. */
    static ShippedProgram send(SparkContext context, Path file, NativeProgram program) {
        String name = program.buildId()
                        .substring(0, Math.min(DIGITS_IN_NAME, program.buildId().length()))
                + "-"
                + file.getFileName();
        try {
            Path folder = Files.createTempDirectory("heapspan-native");
            Path copy = folder.resolve(name);
            copy.toFile().deleteOnExit();
            folder.toFile().deleteOnExit();
            // Registered in this order, so that the JVM deletes the file first.
            Files.copy(file, copy);
            context.addFile(copy.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("the native program " + file + " cannot be copied for the executors", e);
        }
        return new ShippedProgram(name, program.buildId());
    }

    /** Loads the program in this JVM. */
    NativeProgram load() {
        return NativeProgram.load(Path.of(SparkFiles.get(file)), buildId);
    }
}
