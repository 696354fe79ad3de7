package org.heapspan.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A command line of {@code spark-submit}, {@code spark-shell} or {@code pyspark}, taken apart as far as needed to change settings in it. What
 * belongs to the application stays as it is; so does what Spark will not understand: it says so better.
 *
 * <p>Options are those of {@code launcher/.../SparkSubmitOptionParser.java} of Spark 4.3.
 */
final class SparkArguments {
    /** Options that take a value. */
    static final Set<String> WITH_VALUE = Set.of(
            "--archives",
            "--class",
            "--conf",
            "-c",
            "--deploy-mode",
            "--driver-class-path",
            "--driver-default-class-path",
            "--driver-cores",
            "--driver-java-options",
            "--driver-library-path",
            "--driver-memory",
            "--exclude-packages",
            "--executor-cores",
            "--executor-memory",
            "--extra-properties-file",
            "--files",
            "--jars",
            "--keytab",
            "--kill",
            "--master",
            "--name",
            "--num-executors",
            "--packages",
            "--principal",
            "--properties-file",
            "--proxy-user",
            "--py-files",
            "--queue",
            "--remote",
            "--repositories",
            "--status",
            "--total-executor-cores");

    /** Options without. */
    static final Set<String> SWITCHES = Set.of(
            "--help", "-h", "--load-spark-defaults", "--supervise", "--usage-error", "--verbose", "-v", "--version");

    /** Options that stand for a setting. */
    private static final Map<String, String> KEYS = Map.of(
            "--deploy-mode", SparkSettings.DEPLOY_MODE,
            "--driver-class-path", SparkSettings.DRIVER_CLASS_PATH,
            "--driver-java-options", SparkSettings.DRIVER_JAVA_OPTIONS,
            "--driver-memory", SparkSettings.DRIVER_MEMORY,
            "--executor-memory", SparkSettings.EXECUTOR_MEMORY,
            "--files", SparkSettings.FILES,
            "--jars", SparkSettings.JARS,
            "--master", SparkSettings.MASTER,
            "--remote", SparkSettings.REMOTE);

    /**
     * An option, or a word of a shell's own.
     *
     * @param option its name
     * @param value its value, null for a switch
     * @param words as they were given
     */
    private record Given(String option, @Nullable String value, List<String> words) {
        /** The setting that it is, or null. */
        @Nullable
        String key() {
            if (value != null && (option.equals("--conf") || option.equals("-c"))) {
                return value.substring(0, value.contains("=") ? value.indexOf('=') : value.length());
            }
            return KEYS.get(option);
        }

        /** The setting's value. */
        @Nullable
        String setting() {
            return value != null && !KEYS.containsKey(option) ? value.substring(value.indexOf('=') + 1) : value;
        }
    }

    private final List<Given> options = new ArrayList<>();
    private List<String> application = List.of();
    private @Nullable String sparkHome;
    private @Nullable String shareClasses;

    /**
     * Takes a command line apart.
     *
     * @param mixed whether words of the program's own may stand between Spark's options, as those of a shell; otherwise the first word that
     *     is no option begins the application
     */
    SparkArguments(List<String> words, boolean mixed) throws Failure {
        int next = 0;
        while (next < words.size()) {
            String word = words.get(next);
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            String name = equals < 0 ? word : word.substring(0, equals);
            String joined = equals < 0 ? null : word.substring(equals + 1);
            if (name.equals("--share-classes")) {
                shareClasses = joined == null ? "" : joined;
                next++;
            } else if (name.equals("--spark-home")) {
                if (joined == null && next + 1 == words.size()) {
                    throw Failure.ofUsage("--spark-home needs a value");
                }
                sparkHome = joined == null ? words.get(next + 1) : joined;
                next += joined == null ? 2 : 1;
            } else if (WITH_VALUE.contains(name)) {
                int end = Math.min(joined == null ? next + 2 : next + 1, words.size());
                String value = joined != null ? joined : end == next + 2 ? words.get(next + 1) : null;
                options.add(new Given(name, value, words.subList(next, end)));
                next = end;
            } else if (SWITCHES.contains(word) || mixed) {
                options.add(new Given(word, null, List.of(word)));
                next++;
            } else {
                application = words.subList(next, words.size());
                return;
            }
        }
    }

    /** What {@code --spark-home} names. */
    @Nullable
    String sparkHome() {
        return sparkHome;
    }

    /** The folder that {@code --share-classes=} names, empty for that of the user, null if classes are not to be shared. */
    @Nullable
    String shareClasses() {
        return shareClasses;
    }

    /** The application and its arguments; nothing for a shell. */
    List<String> application() {
        return application;
    }

    boolean has(String option) {
        return options.stream().anyMatch(given -> given.option().equals(option));
    }

    /** The values of an option, in order. */
    List<String> values(String option) {
        return options.stream()
                .filter(given -> given.option().equals(option))
                .map(Given::value)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The value that the options give a setting, the last one if there are several, as Spark takes it; null if there is none. */
    @Nullable
    String setting(String key) {
        String last = null;
        for (Given given : options) {
            if (key.equals(given.key())) {
                last = given.setting();
            }
        }
        return last;
    }

    /** The words for Spark, with other values of some settings. */
    List<String> words(Map<String, String> settings) {
        List<String> words = new ArrayList<>();
        settings.forEach((key, value) -> words.addAll(List.of("--conf", key + "=" + value)));
        for (Given given : options) {
            if (given.key() == null || !settings.containsKey(given.key())) {
                words.addAll(given.words());
            }
        }
        return Stream.concat(words.stream(), application.stream()).toList();
    }
}
