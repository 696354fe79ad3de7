package org.heapspan.spark.nativerdd;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkFiles;
import org.heapspan.nativerdd.NativeProgram;

/**
 * A native program that Spark sends to all executors as a file.
 *
 * @param file the name of the file in the folder of Spark's files
 * @param buildId what tells it from other programs
 * @param name what messages call it
 */
record ShippedProgram(String file, String buildId, String name) implements Serializable {
    private static final int DIGITS_IN_NAME = 16;

    /** What was sent in each application, by build id. Guarded by itself. */
    private static final Map<SparkContext, Map<String, ShippedProgram>> SENT = new WeakHashMap<>();

    /** Sends a program, once in each application. */
    static ShippedProgram send(SparkContext context, Path file) {
        String buildId = NativeProgram.buildIdOf(file);
        Map<String, ShippedProgram> sent;
        synchronized (SENT) {
            sent = SENT.computeIfAbsent(context, any -> new ConcurrentHashMap<>());
        }
        return sent.computeIfAbsent(buildId, id -> sendCopy(context, file, id));
    }

    /** The file of the user may change while the application runs. */
    private static ShippedProgram sendCopy(SparkContext context, Path file, String buildId) {
        String name = String.valueOf(file.getFileName());
        String unique = buildId.substring(0, Math.min(DIGITS_IN_NAME, buildId.length())) + "-" + name;
        try {
            Path folder = Files.createTempDirectory("heapspan-native");
            Path copy = folder.resolve(unique);
            // The JVM deletes what was registered last first.
            folder.toFile().deleteOnExit();
            copy.toFile().deleteOnExit();
            Files.copy(file, copy);
            context.addFile(copy.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("the native program " + file + " cannot be copied for the executors", e);
        }
        return new ShippedProgram(unique, buildId, name);
    }

    /** Loads the program in this JVM. */
    NativeProgram load() {
        return NativeProgram.load(path(), buildId, name);
    }

    /** Where it is on this machine. */
    Path path() {
        return Path.of(SparkFiles.get(file));
    }
}
