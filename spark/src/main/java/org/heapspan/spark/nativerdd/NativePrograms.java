package org.heapspan.spark.nativerdd;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
        ProgramDriver.run(context, file, Map.of(), List.of(arguments));
    }

    /**
     * Runs the driver side of a program that exchanges RDDs with this application. The program reads them with {@code context.input<T>(name)}, and gives
     * results with {@code rdd.output(name)}. As the path of a text file that it reads, or of a folder that it saves, {@code rdd:NAME} is an RDD of lines.
     * Nothing is written for it: what the program gives is computed when it is used.
     *
     * @param context where the jobs run
     * @param file the shared object, which {@code heapspan native build} made; Spark sends it to the executors
     * @param inputs an {@code RDD}, {@code JavaRDD}, {@code JavaPairRDD} or {@code Dataset} for each name
     * @param arguments of the program, without its name
     * @return what the program has given, by name
     * @throws NativeProgramException if the program cannot be used here, or fails; what Spark throws is thrown unchanged
     */
    public static NativeResults run(SparkContext context, Path file, Map<String, ?> inputs, String... arguments) {
        return ProgramDriver.run(context, file, inputs, List.of(arguments));
    }

    /**
     * The same for languages without {@link Path} and arrays of strings, such as Python.
     *
     * @param context where the jobs run
     * @param file the shared object
     * @param inputs what the program reads, by name
     * @param arguments of the program, without its name
     * @return what the program has given, by name
     * @throws NativeProgramException if the program cannot be used here, or fails; what Spark throws is thrown unchanged
     */
    public static NativeResults run(SparkContext context, String file, Map<String, ?> inputs, List<String> arguments) {
        return ProgramDriver.run(context, Path.of(file), inputs, arguments);
    }
}
