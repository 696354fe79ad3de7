package org.heapspan.cli;

import java.io.File;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs a native RDD program as an application of Spark. Prints the command line of {@code spark-submit}, as {@link SparkCommand} does.
 *
 * <p>Options of {@code spark-submit} may stand anywhere; what comes after {@code --} belongs to the program.
 */
final class NativeRun implements Command {
    private static final String MAIN_CLASS = "org.heapspan.spark.nativerdd.NativeMain";

    /** Spark's word for an application whose classes are there already. */
    private static final String NO_JAR = "spark-internal";

    private static final String APPLICATION_NAME = "spark.app.name";

    /**
     * What is hot in these JVMs is native code. C2 would take more processor time than it saves. What they do for each task runs seldom, so that C1 has to
     * begin early, or it would be interpreted. Their heaps are nearly empty, so that the serial collector and few young objects do best. The collector is not
     * named, since a JVM does not start with two collectors, and the user may name one in many places: a JVM that is told to take its machine for a small
     * one has this collector unless another one is named.
     */
    private static final String SMALL_JVM = "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=0.2"
            + " -XX:+NeverActAsServerClassMachine -XX:MaxNewSize=48m";

    private final List<String> forSpark = new ArrayList<>();
    private final List<String> forProgram = new ArrayList<>();
    private final Surroundings around;

    NativeRun(List<String> words, Surroundings around) throws Failure {
        this.around = around;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            String name = equals < 0 ? word : word.substring(0, equals);
            if (word.equals("--")) {
                forProgram.addAll(words.subList(i + 1, words.size()));
                break;
            } else if (SparkArguments.WITH_VALUE.contains(name) || name.equals("--spark-home")) {
                forSpark.add(word);
                if (equals < 0) {
                    if (++i == words.size()) {
                        throw Failure.ofUsage(word + " needs a value");
                    }
                    forSpark.add(words.get(i));
                }
            } else if (SparkArguments.SWITCHES.contains(word)) {
                forSpark.add(word);
            } else {
                forProgram.add(word);
            }
        }
        if (forProgram.isEmpty()) {
            throw Failure.ofUsage("native run needs a program, such as wordcount.so");
        }
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        Path program = Path.of(forProgram.get(0));
        if (!Files.isRegularFile(program)) {
            throw Failure.of("there is no native program " + program + "; `heapspan native build` makes one");
        }
        SparkArguments arguments = new SparkArguments(forSpark, false);
        SparkHome spark = SparkHome.find(arguments.sparkHome(), around);
        SparkSettings settings = new SparkSettings(arguments, spark, around);
        boolean inCluster = "cluster".equals(settings.get(SparkSettings.DEPLOY_MODE));
        String adapter = SparkCommand.adapter(around.ownJar()).toString();
        Map<String, String> changes = new TreeMap<>(Map.of(
                SparkSettings.DRIVER_CLASS_PATH,
                SparkCommand.joined(File.pathSeparator, adapter, settings.get(SparkSettings.DRIVER_CLASS_PATH)),
                SparkSettings.EXECUTOR_CLASS_PATH,
                SparkCommand.joined(File.pathSeparator, adapter, settings.get(SparkSettings.EXECUTOR_CLASS_PATH))));
        for (String key :
                List.of(SparkSettings.DRIVER_DEFAULT_JAVA_OPTIONS, SparkSettings.EXECUTOR_DEFAULT_JAVA_OPTIONS)) {
            if (settings.get(key).isEmpty()) {
                changes.put(key, SMALL_JVM);
            }
        }
        if (inCluster) {
            // Cluster managers that send files bring the program to the driver. The others need it where it is here.
            changes.put(
                    SparkSettings.FILES,
                    SparkCommand.joined(",", program.toAbsolutePath().toString(), settings.get(SparkSettings.FILES)));
        }
        List<String> command = new ArrayList<>(List.of("env", "SPARK_HOME=" + spark.folder()));
        command.add(spark.program("spark-submit").toString());
        command.addAll(arguments.words(changes));
        if (!arguments.has("--name") && settings.get(APPLICATION_NAME).isEmpty()) {
            command.addAll(List.of("--name", String.valueOf(program.getFileName())));
        }
        command.addAll(List.of("--class", MAIN_CLASS, inCluster ? adapter : NO_JAR));
        command.add(program.toAbsolutePath().toString());
        command.addAll(forProgram.subList(1, forProgram.size()));
        out.println(ShellWords.line(command));
    }
}
