package org.heapspan.cli;

import java.io.File;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One of Spark's programs, with the settings that turn Heapspan on. Prints the command line, quoted for a shell, which the script {@code heapspan} becomes:
 * signals and exit code are then Spark's own affair, and no second JVM waits for it.
 */
final class SparkCommand implements Command {
    static final List<String> PROGRAMS = List.of("spark-submit", "spark-shell", "pyspark");

    static final String PLUGIN = "org.heapspan.spark.HeapspanPlugin";
    private static final String ADAPTER = "heapspan-spark.jar";

    private final String program;
    private final SparkArguments arguments;
    private final Surroundings around;

    SparkCommand(List<String> words, Surroundings around) throws Failure {
        program = words.get(0);
        arguments = new SparkArguments(words.subList(1, words.size()), !program.equals("spark-submit"));
        this.around = around;
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        SparkHome spark = SparkHome.find(arguments.sparkHome(), around);
        List<String> command = new ArrayList<>(List.of("env", "SPARK_HOME=" + spark.folder()));
        command.add(spark.program(program).toString());
        command.addAll(arguments.words(changes(spark)));
        out.println(ShellWords.line(command));
    }

    /** The settings that get another value. */
    private Map<String, String> changes(SparkHome spark) throws Failure {
        Path adapter = adapter(around.ownJar());
        SparkSettings settings = new SparkSettings(arguments, spark, around);
        Map<String, String> changes = new LinkedHashMap<>();
        String remote = settings.get(SparkSettings.REMOTE);
        if (!remote.isEmpty() && !remote.startsWith("local")) {
            around.note(remote
                    + " is a server of Spark Connect: switch Heapspan on where the server is started; this"
                    + " command adds no settings");
            return changes;
        }
        changes.put(SparkSettings.PLUGINS, joined(",", settings.get(SparkSettings.PLUGINS), PLUGIN));
        String driver = settings.get(SparkSettings.DRIVER_CLASS_PATH);
        String executor = settings.get(SparkSettings.EXECUTOR_CLASS_PATH);
        changes.put(SparkSettings.DRIVER_CLASS_PATH, joined(File.pathSeparator, adapter.toString(), driver));
        changes.put(SparkSettings.EXECUTOR_CLASS_PATH, joined(File.pathSeparator, adapter.toString(), executor));
        String folder = arguments.shareClasses();
        if (folder != null) {
            SharedClasses shared = new SharedClasses(spark, adapter, settings, arguments, around);
            changes.putAll(shared.settings(folder.isEmpty() ? cache() : Path.of(folder)));
        }
        return changes;
    }

    /** Both, in this order; what is in both comes once. */
    static String joined(String separator, String first, String second) {
        return Stream.of(first, second)
                .flatMap(list -> Stream.of(list.split(separator, -1)))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .distinct()
                .collect(Collectors.joining(separator));
    }

    /** The jar of the adapter: that which we run from, or its neighbour. */
    static Path adapter(Path ownJar) throws Failure {
        Path jar = ownJar.getFileName().toString().equals(ADAPTER) ? ownJar : ownJar.resolveSibling(ADAPTER);
        if (!Files.isRegularFile(jar)) {
            throw Failure.of("there is no " + jar
                    + ", the adapter for Spark; put it beside heapspan.jar; `./dev build` builds both");
        }
        return jar.toAbsolutePath().normalize();
    }

    private Path cache() throws Failure {
        Path cache = around.cache();
        if (cache == null) {
            throw Failure.of(
                    "HOME is not set, so there is no folder for class data; name one with --share-classes=DIR");
        }
        return cache;
    }
}
