package org.heapspan.spark.nativerdd;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
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
        ProgramDriver.run(context, file, Map.of(), List.of(arguments));
    }

    /**
     * Runs the driver side of a program that exchanges lines of text with this application. To the program, {@code rdd:NAME} is the path of a text
     * file that it reads, or of a folder that it saves. Nothing is written for it: what is saved is computed when the RDD of that name is.
     *
     * @param context where the jobs run
     * @param file the shared object, which {@code heapspan native build} made; Spark sends it to the executors
     * @param inputs RDDs of lines, by name
     * @param arguments of the program, without its name
     * @return the RDDs of lines that the program has saved, by name
     * @throws NativeProgramException if the program cannot be used here, or fails; what Spark throws is thrown unchanged
     */
    public static Map<String, RDD<String>> run(
            SparkContext context, Path file, Map<String, RDD<String>> inputs, String... arguments) {
        return ProgramDriver.run(context, file, inputs, List.of(arguments));
    }
}
