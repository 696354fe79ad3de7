package org.heapspan.spark.nativerdd;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.heapspan.nativerdd.NativeProgram;

/** The main class of an application that is a native program. {@code heapspan native run} gives it to Spark. */
public final class NativeMain {
    private NativeMain() {}

    /**
     * Runs a program as an application.
     *
     * @param arguments the file of the program, then what belongs to the program
     */
    public static void main(String[] arguments) {
        if (arguments.length == 0) {
            throw new IllegalArgumentException("no native program is named; use: heapspan native run PROGRAM.so ...");
        }
        Path file = found(Path.of(arguments[0]));
        // Before there is an application: this is the most frequent mistake.
        NativeProgram.buildIdOf(file);
        SparkContext context =
                new SparkContext(new SparkConf().setIfMissing("spark.app.name", String.valueOf(file.getFileName())));
        try {
            NativePrograms.run(context, file, Arrays.copyOfRange(arguments, 1, arguments.length));
        } finally {
            context.stop();
        }
    }

    /** The program, or its copy in the working directory: YARN and Kubernetes put files of the application there for a driver in the cluster. */
    private static Path found(Path program) {
        Path copy = Path.of(String.valueOf(program.getFileName()));
        return !Files.exists(program) && Files.exists(copy) ? copy : program;
    }
}
