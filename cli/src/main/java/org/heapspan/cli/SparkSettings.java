package org.heapspan.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** The settings of an application as Spark will find them: options first, then the files that they name, then the defaults of the installation. */
final class SparkSettings {
    static final String PLUGINS = "spark.plugins";
    static final String MASTER = "spark.master";
    static final String REMOTE = "spark.remote";
    static final String DEPLOY_MODE = "spark.submit.deployMode";
    static final String JARS = "spark.jars";
    static final String FILES = "spark.files";
    static final String DRIVER_CLASS_PATH = "spark.driver.extraClassPath";
    static final String EXECUTOR_CLASS_PATH = "spark.executor.extraClassPath";
    static final String DRIVER_JAVA_OPTIONS = "spark.driver.extraJavaOptions";
    static final String EXECUTOR_JAVA_OPTIONS = "spark.executor.extraJavaOptions";
    static final String DRIVER_DEFAULT_JAVA_OPTIONS = "spark.driver.defaultJavaOptions";
    static final String EXECUTOR_DEFAULT_JAVA_OPTIONS = "spark.executor.defaultJavaOptions";
    static final String DRIVER_MEMORY = "spark.driver.memory";
    static final String EXECUTOR_MEMORY = "spark.executor.memory";

    private final SparkArguments arguments;

    /** First come, first served. */
    private final List<Properties> files = new ArrayList<>();

    SparkSettings(SparkArguments arguments, SparkHome spark, Surroundings around) throws Failure {
        this.arguments = arguments;
        List<String> named = arguments.values("--properties-file");
        for (String extra : arguments.values("--extra-properties-file")) {
            // Each overrides those before it.
            files.add(0, read(Path.of(extra)));
        }
        if (!named.isEmpty()) {
            files.add(read(Path.of(named.get(named.size() - 1))));
        }
        if (named.isEmpty() || arguments.has("--load-spark-defaults")) {
            String folder = around.variable("SPARK_CONF_DIR");
            Path defaults = (folder.isEmpty() ? spark.folder().resolve("conf") : Path.of(folder))
                    .resolve("spark-defaults.conf");
            if (Files.exists(defaults)) {
                files.add(read(defaults));
            }
        }
    }

    private static Properties read(Path file) throws Failure {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw Failure.of("cannot read the settings in " + file + ": " + e);
        }
        return properties;
    }

    /** The value of a setting; empty if it has none. */
    String get(String key) {
        String given = arguments.setting(key);
        if (given != null) {
            return given.strip();
        }
        for (Properties file : files) {
            String value = file.getProperty(key);
            if (value != null) {
                return value.strip();
            }
        }
        return "";
    }
}
