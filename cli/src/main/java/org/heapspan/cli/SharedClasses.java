package org.heapspan.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings by which driver and executors map one archive of class data ({@link ClassArchive}), so that a class has the same class word in all of them.
 *
 * <p>A JVM maps an archive if the class path of the one that made it, which may hold jars only, is how its own class path begins. Spark's begins with
 * {@code extraClassPath}; its folder {@code conf} comes before its jars, in whatever order the file system lists them. So Spark's jars come first by way
 * of a jar that names them ({@link ClassArchive#sparkJar}); each of them counts once.
 */
final class SharedClasses {
    /** From here on the JVM does without compressed references, and needs another archive. */
    private static final long LARGE_HEAP_BYTES = 32L << 30;

    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kmgt]?)b?");

    /** Options that decide how objects and classes lie in memory; the archive must be made with the same. */
    private static final Pattern LAYOUT = Pattern.compile(
            "-XX:([+-](Use(Compressed\\w+|CompactObjectHeaders|\\w+GC)|Unlock\\w+Options)|ObjectAlignmentInBytes=\\d+)");

    /** Options with which the user chose an archive. */
    private static final Pattern ARCHIVE_CHOSEN = Pattern.compile("-Xshare\\b|-XX:(Shared|AOT|Archive)");

    private final SparkHome spark;
    private final Path adapter;
    private final SparkSettings settings;
    private final SparkArguments arguments;
    private final Surroundings around;

    SharedClasses(
            SparkHome spark, Path adapter, SparkSettings settings, SparkArguments arguments, Surroundings around) {
        this.spark = spark;
        this.adapter = adapter;
        this.settings = settings;
        this.arguments = arguments;
        this.around = around;
    }

    /**
     * The settings; none, with a note, where class data cannot be shared. Makes the archive the first time.
     *
     * @param folder of archives
     */
    Map<String, String> settings(Path folder) throws Failure {
        String obstacle = obstacle();
        if (obstacle != null) {
            around.note("class data are not shared: " + obstacle);
            return Map.of();
        }
        String options = layoutOptions(SparkSettings.EXECUTOR_JAVA_OPTIONS, SparkSettings.EXECUTOR_MEMORY);
        List<Path> before = jars(settings.get(SparkSettings.EXECUTOR_CLASS_PATH));
        if (isLocal()) {
            options = layoutOptions(SparkSettings.DRIVER_JAVA_OPTIONS, SparkSettings.DRIVER_MEMORY);
            before = jars(settings.get(SparkSettings.DRIVER_CLASS_PATH));
        }
        List<Path> own =
                Stream.concat(Stream.of(adapter), before.stream()).distinct().toList();
        ClassArchive archive = new ClassArchive(spark, own, applicationJars(), options, around);
        Path file;
        try {
            file = archive.in(folder);
        } catch (IOException e) {
            around.note("class data are not shared: the archive could not be created: " + Failure.reason(e));
            return Map.of();
        }
        String classPath =
                archive.classPath().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        Map<String, String> changes = new LinkedHashMap<>();
        changes.put(SparkSettings.DRIVER_CLASS_PATH, classPath);
        changes.put(SparkSettings.EXECUTOR_CLASS_PATH, classPath);
        // A JVM to which the archive does not fit starts without it, and says so once. What else it has to say of
        // archives is of no use:
        // that of the JDK itself is read without its table of modules, because Spark opens some.
        String sharing = "-XX:SharedArchiveFile=" + quoted(file) + " -Xshare:auto -Xlog:cds=off";
        for (String key : List.of(SparkSettings.DRIVER_JAVA_OPTIONS, SparkSettings.EXECUTOR_JAVA_OPTIONS)) {
            changes.put(key, (settings.get(key) + " " + sharing).strip());
        }
        return changes;
    }

    private boolean isLocal() {
        String master = settings.get(SparkSettings.MASTER);
        return master.isEmpty() || master.startsWith("local") && !master.startsWith("local-cluster");
    }

    /** Why class data cannot be shared, or null. */
    private @Nullable String obstacle() {
        String master = settings.get(SparkSettings.MASTER);
        if (master.startsWith("yarn")
                || master.startsWith("k8s")
                || settings.get(SparkSettings.DEPLOY_MODE).equals("cluster")) {
            return "with master '" + master + "' and deploy mode '" + settings.get(SparkSettings.DEPLOY_MODE)
                    + "' JVMs find their jars elsewhere; docs/class-data-sharing.md says how to share by hand";
        }
        for (String key : List.of(SparkSettings.DRIVER_JAVA_OPTIONS, SparkSettings.EXECUTOR_JAVA_OPTIONS)) {
            if (ARCHIVE_CHOSEN.matcher(settings.get(key)).find()) {
                return key + " chooses an archive itself: " + settings.get(key);
            }
        }
        String driver = settings.get(SparkSettings.DRIVER_CLASS_PATH);
        String executor = settings.get(SparkSettings.EXECUTOR_CLASS_PATH);
        if (!isLocal() && !jars(driver).equals(jars(executor))) {
            return SparkSettings.DRIVER_CLASS_PATH + " and " + SparkSettings.EXECUTOR_CLASS_PATH + " differ: '" + driver
                    + "' and '" + executor + "'";
        }
        for (Path entry : jars(isLocal() ? driver : executor)) {
            if (!Files.isRegularFile(entry)) {
                return entry + " on the class path is not a jar; JVMs can share class data of jars only";
            }
        }
        if (!isLocal()
                && !layoutOptions(SparkSettings.DRIVER_JAVA_OPTIONS, SparkSettings.DRIVER_MEMORY)
                        .equals(layoutOptions(SparkSettings.EXECUTOR_JAVA_OPTIONS, SparkSettings.EXECUTOR_MEMORY))) {
            return "driver and executors have different heap layouts, because of their sizes (32 GB or more) or options";
        }
        return null;
    }

    /** The entries of a class path, with those that {@code *} stands for. */
    private static List<Path> jars(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .filter(entry -> !entry.isBlank())
                .flatMap(entry -> entry.equals("*") || entry.endsWith("/*")
                        ? jarsIn(Path.of(entry.substring(0, entry.length() - 1)).toAbsolutePath())
                        : Stream.of(Path.of(entry)))
                .map(entry -> entry.toAbsolutePath().normalize())
                .distinct()
                .toList();
    }

    private static Stream<Path> jarsIn(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files
                    .filter(file -> file.toString().toLowerCase(Locale.ROOT).endsWith(".jar"))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            return Stream.of(); // As the JVM takes it.
        }
    }

    /** Jars that the application brings with it, as far as they are files here. */
    private List<Path> applicationJars() {
        Stream<String> named = Stream.of(settings.get(SparkSettings.JARS).split(",", -1));
        return Stream.concat(arguments.application().stream().limit(1), named)
                .filter(jar -> jar.endsWith(".jar"))
                .map(jar -> Path.of(jar.startsWith("file:") ? jar.substring("file:".length()) : jar))
                .filter(Files::isRegularFile)
                .map(jar -> jar.toAbsolutePath().normalize())
                .distinct()
                .toList();
    }

    private String layoutOptions(String optionsKey, String memoryKey) {
        Matcher matcher = LAYOUT.matcher(settings.get(optionsKey));
        String chosen = matcher.results().map(found -> found.group()).collect(Collectors.joining(" "));
        return bytes(settings.get(memoryKey)) < LARGE_HEAP_BYTES
                ? chosen
                : ("-XX:-UseCompressedOops " + chosen).strip();
    }

    /** A size of memory as Spark writes it; mebibytes without a unit. */
    private static long bytes(String size) {
        Matcher matcher = SIZE.matcher(size.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return 0; // Spark's default of 1 GB, or what it will not understand.
        }
        String unit = matcher.group(2).isEmpty() ? "m" : matcher.group(2);
        return Long.parseLong(matcher.group(1)) << 10 * (1 + "kmgt".indexOf(unit));
    }

    private static String quoted(Path file) {
        return file.toString().contains(" ") ? '"' + file.toString() + '"' : file.toString();
    }
}
