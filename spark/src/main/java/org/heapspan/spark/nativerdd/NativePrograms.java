package org.heapspan.spark.nativerdd;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkContext;
import org.heapspan.nativerdd.NativeProgramException;

/** Runs native RDD programs in an application that has more to do than that. Thread-safe, as {@link SparkContext} is. */
public final class NativePrograms {
    private NativePrograms() {}

    /**
     * Runs the driver side of a program in this thread. Its jobs are jobs of this application.
     *
     * @param context where the jobs run
     * @param file the shared object, which {@code heapspan native build} made; Spark sends it to the executors
     * @param arguments of the program, without its name
     * @throws NativeProgramException if the program cannot be used here, or fails; what Spark throws is thrown unchanged
     */
    public static void run(SparkContext context, Path file, String... arguments) {
        ProgramDriver.run(context, file, List.of(arguments));
    }
}
