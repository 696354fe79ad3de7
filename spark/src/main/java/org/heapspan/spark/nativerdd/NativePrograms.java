package org.heapspan.spark.nativerdd;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.heapspan.nativerdd.NativeProgramException;

/**
 * Runs native RDD programs in an application that has more to do than that: a whole program by {@code run}, or what one of its names stands for by
 * {@link #open} and {@code call}. Thread-safe, as {@link SparkContext} is.
 */
public final class NativePrograms {
    /** What a program calls the RDD that {@code call} gives it, and the one that it returns. */
    private static final String INPUT = "input";

    private static final String OUTPUT = "output";

    private final Path file;

    private NativePrograms(Path file) {
        this.file = file;
    }

    /**
     * A program to call. Each call runs its {@code HEAPSPAN_MAIN} in the driver, and its jobs in the context of its input. In Scala this is
     * {@code heapspan.native(file)}.
     *
     * @param file the shared object, which {@code heapspan native build} made; Spark sends it to the executors. It is read by each call
     * @return the program
     */
    public static NativePrograms open(String file) {
        return new NativePrograms(Path.of(file));
    }

    /**
     * Runs the program with one RDD. Its first argument is the name, so that a program can have several functions. It reads
     * {@code context.input<T>("input")}, and gives its result with {@code rdd.output("output")}.
     *
     * @param name what the program shall do
     * @param input an {@code RDD}, {@code JavaRDD}, {@code JavaPairRDD} or {@code Dataset}
     * @param arguments of the program behind the name
     * @param <T> the class of the elements of the result, which the caller knows
     * @return the result, computed when it is used
     * @throws NativeProgramException if the program cannot be used here, fails, or gives no result; what Spark throws is thrown unchanged
     */
    @SuppressWarnings("TypeParameterUnusedInFormals") // As NativeResults.get: the caller says what it is.
    public <T> RDD<T> call(String name, Object input, String... arguments) {
        return results(name, input, List.of(arguments)).get(OUTPUT);
    }

    /**
     * The same with a table as the result, and for languages without arrays of strings, such as Python.
     *
     * @param name what the program shall do
     * @param input as {@link #call}; the tuples in an RDD of objects that Spark has made of those of Python are arrays
     * @param session where the table is used
     * @param columns names for the columns of the result, as {@link NativeResults#dataFrame} takes them
     * @param arguments of the program behind the name
     * @return the result, computed when it is used
     * @throws NativeProgramException as {@link #call(String, Object, String...)}
     */
    public Dataset<Row> callForTable(
            String name, Object input, SparkSession session, List<String> columns, List<String> arguments) {
        return results(name, input, arguments).dataFrame(session, OUTPUT, columns);
    }

    private NativeResults results(String name, Object input, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of(name));
        all.addAll(arguments);
        SparkContext context = input instanceof Dataset<?> table
                ? table.sparkSession().sparkContext()
                : ProgramDriver.rdd(INPUT, input).sparkContext();
        return ProgramDriver.run(context, file, Map.of(INPUT, input), all);
    }

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
     * results with {@code rdd.output(name)}. As the path of a text file that it reads, or of a folder of text files that it saves, {@code rdd:NAME} is an
     * RDD of lines. Nothing is written for it: what the program gives is computed when it is used.
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
