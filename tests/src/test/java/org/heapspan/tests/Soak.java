package org.heapspan.tests;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.tests.conformance.ConformanceSoak;
import org.heapspan.tests.conformance.JvmSide;
import org.heapspan.tests.conformance.Samples;
import org.heapspan.tests.direct.DirectEngineSoak;
import org.heapspan.tests.fuzz.DecodeFuzzer;
import org.heapspan.tests.fuzz.MutationFuzz;
import org.heapspan.tests.fuzz.MutationRun;
import org.heapspan.tests.fuzz.NativeFuzz;
import org.heapspan.tests.random.RandomGraphSoak;

/**
 * The long run behind {@code ./dev soak}: the full conformance matrix, random graphs, the direct engine under heap verification and
 * all else that a JVM does, the native carver under its own coverage-guided fuzzer, what other threads see of carved objects (jcstress), millions of mutated inputs and a coverage-guided fuzzer, an image of more than 2 GB in memory, and one
 * graph of 10 GB.
 *
 * <p>Arguments: any of {@code conformance}, {@code random}, {@code direct}, {@code native}, {@code publication}, {@code mutation}, {@code jazzer}, {@code memory}, {@code graph}
 * (all when none is given) and {@code gigabytes=N} for the graph (which needs half as much memory again, and disk space),
 * {@code minutes=N} for each of the parts that are bounded by time (jazzer shares them among the ways of bytes into a process; publication takes half an hour or more for each JDK all the same, as
 * each combination of compilers has a JVM of its own), {@code seconds=N} for each of the runs of {@code direct} and for {@code native},
 * {@code routes=heapspan:unchecked,heapspan:inspect} for some of the ways of jazzer only,
 * {@code seed=N} to repeat a run, {@code inputs=N} for the mutated inputs of all kinds together, {@code part=K/N} for the K-th of N
 * parts of the conformance matrix, which takes hours as a whole.
 */
public final class Soak {

    private static final List<String> PARTS = List.of(
            "conformance", "random", "direct", "native", "publication", "mutation", "jazzer", "memory", "graph");

    private Soak() {}

    /**
     * Runs the parts named; exit code 0 when nothing failed.
     *
     * @param arguments see the class
     * @throws Exception when a part cannot be run at all
     */
    public static void main(String[] arguments) throws Exception {
        long seed = System.nanoTime();
        long minutes = 30;
        long inputs = 12_000_000;
        long seconds = 0; // each part's own
        long gigabytes = 10;
        List<String> routes = DecodeFuzzer.ROUTES;
        int part = 1;
        int partCount = 1;
        List<String> parts = new ArrayList<>();
        for (String each : arguments) {
            if (each.startsWith("seed=")) {
                seed = Long.parseLong(each.substring(5));
            } else if (each.startsWith("minutes=")) {
                minutes = Long.parseLong(each.substring(8));
            } else if (each.startsWith("inputs=")) {
                inputs = Long.parseLong(each.substring(7));
            } else if (each.startsWith("seconds=")) {
                seconds = Long.parseLong(each.substring(8));
            } else if (each.startsWith("routes=")) {
                routes = List.of(each.substring(7).split(",", -1));
            } else if (each.startsWith("gigabytes=")) {
                gigabytes = Long.parseLong(each.substring(10));
            } else if (each.matches("part=\\d{1,3}/\\d{1,3}")) {
                part = Integer.parseInt(each.substring(5, each.indexOf('/')));
                partCount = Integer.parseInt(each.substring(each.indexOf('/') + 1));
            } else if (PARTS.contains(each)) {
                parts.add(each);
            } else {
                System.out.println("soak does not know '" + each + "'; there are " + PARTS
                        + " and minutes=N, seconds=N, seed=N, inputs=N, gigabytes=N, routes=A,B, part=K/N");
                System.exit(2);
            }
        }
        System.out.println("soak: seed " + seed + " (repeat with seed=" + seed + ")");
        int passed = 0;
        int failed = 0;
        for (String each : parts.isEmpty() ? PARTS : parts) {
            System.out.println("== " + each);
            boolean good = switch (each) {
                case "conformance" -> ConformanceSoak.run(seed, part, partCount, System.out::println) == 0;
                case "random" -> RandomGraphSoak.run(seed, minutes, System.out::println);
                case "mutation" -> mutation(seed, inputs);
                case "direct" -> DirectEngineSoak.run(seed, seconds == 0 ? 60 : seconds, System.out::println);
                case "native" ->
                    NativeFuzz.run(
                            seed, seconds == 0 ? TimeUnit.MINUTES.toSeconds(minutes) : seconds, System.out::println);
                case "publication" -> publication(minutes);
                case "jazzer" -> jazzer(routes, minutes);
                case "memory" -> memory();
                default -> graph(gigabytes);
            };
            System.out.println("== " + each + (good ? ": passed" : ": FAILED"));
            if (good) {
                passed++;
            } else {
                failed++;
            }
        }
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    private static boolean mutation(long seed, long inputs) throws IOException, InterruptedException {
        boolean good = true;
        List<MutationRun> runs = MutationRun.all();
        for (MutationRun each : runs) {
            System.out.println("-- " + each.name());
            List<String> command = java(each.options().toArray(String[]::new));
            command.add(MutationFuzz.class.getName());
            command.addAll(each.arguments(seed, inputs / runs.size()));
            good &= new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        }
        return good;
    }

    private static boolean publication(long minutes) throws IOException, InterruptedException {
        Path root = Path.of(System.getProperty("heapspan.root", ".")).toAbsolutePath();
        Path target = root.resolve("tests/publication/target");
        Path directory = Files.createDirectories(root.resolve("build/publication"));
        boolean good = true;
        for (int javaFeature : new int[] {17, 25}) {
            Path java = JvmSide.of(javaFeature).launcher();
            if (java == null) {
                System.out.println("publication: skipped on Java " + javaFeature + ", which was not found");
                continue;
            }
            List<String> command = new ArrayList<>(List.of(
                    java.toString(),
                    "-cp",
                    target.resolve("classes") + File.pathSeparator + Files.readString(target.resolve("run.classpath")),
                    "org.openjdk.jcstress.Main",
                    "-tb",
                    minutes + "m",
                    // The direct engine is opened anew in each of many JVMs.
                    "-f",
                    "1",
                    "-r",
                    Files.createDirectories(directory.resolve("" + javaFeature)).toString()));
            if (javaFeature >= 24) {
                command.addAll(List.of("-jvmArgsPrepend", "--enable-native-access=ALL-UNNAMED"));
            }
            good &= new ProcessBuilder(command)
                            .directory(directory.toFile())
                            .inheritIO()
                            .start()
                            .waitFor()
                    == 0;
        }
        return good;
    }

    private static boolean memory() throws IOException, InterruptedException {
        List<String> command = java("-Xmx7g");
        command.addAll(List.of("-XX:MaxDirectMemorySize=4g", LargeMemoryRun.class.getName()));
        return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    }

    private static boolean graph(long gigabytes) throws IOException, InterruptedException {
        Path directory = Files.createDirectories(Path.of(System.getProperty("heapspan.root", "."), "build"));
        Path file = Files.createTempFile(directory.toAbsolutePath(), "graph", ".hspi");
        try {
            for (String each : List.of("write", "read")) {
                // G1 gives the old generation what it needs; the others' would be two thirds of the heap and overflow.
                List<String> command = java("-Xmx" + (gigabytes * 9 / 5 + 1) + "g");
                command.addAll(List.of(
                        "-XX:+UseG1GC",
                        LargeGraphRun.class.getName(),
                        each,
                        file.toString(),
                        Long.toString(gigabytes)));
                if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
                    return false;
                }
            }
            return true;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static boolean jazzer(List<String> routes, long minutes)
            throws IOException, InterruptedException, ReflectiveOperationException {
        boolean good = true;
        long seconds = TimeUnit.MINUTES.toSeconds(minutes) / routes.size();
        for (String route : routes) {
            good &= jazzer(route, Math.max(seconds, 1));
        }
        return good;
    }

    private static boolean jazzer(String route, long seconds)
            throws IOException, InterruptedException, ReflectiveOperationException {
        Path directory = Path.of(System.getProperty("heapspan.root", "."), "build", "jazzer", route.replace(':', '-'))
                .toAbsolutePath();
        Path corpus = Files.createDirectories(directory.resolve("corpus"));
        List<byte[]> samples =
                Samples.seeds(route, 4096, Soak.class.getClassLoader()).encodings();
        for (byte[] each : samples) {
            Files.write(corpus.resolve("sample-" + Integer.toHexString(Arrays.hashCode(each))), each);
        }
        List<String> command = java("-Xmx1g", "-Dheapspan.direct=false");
        command.addAll(List.of(
                "-D" + DecodeFuzzer.CODEC_PROPERTY + "=" + route,
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + DecodeFuzzer.class.getName(),
                "--instrumentation_includes=org.heapspan.image.**:org.heapspan.h2.**:org.heapspan.*",
                "--custom_hook_includes=org.heapspan.**",
                "-max_total_time=" + seconds,
                "-max_len=65536",
                "-rss_limit_mb=4096",
                "-timeout=20",
                corpus.toString()));
        System.out.println("jazzer: " + route + ", " + seconds + " s, " + samples.size() + " samples in " + corpus
                + "; findings are written to " + directory);
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .inheritIO()
                .start();
        return process.waitFor() == 0;
    }

    private static List<String> java(String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:-OmitStackTraceInFastThrow"));
        String classPath = System.getProperty("java.class.path");
        List<String> absolute = new ArrayList<>();
        for (String each : classPath.split(File.pathSeparator, -1)) {
            absolute.add(Path.of(each).toAbsolutePath().toString());
        }
        command.addAll(List.of("-cp", String.join(File.pathSeparator, absolute)));
        return command;
    }
}
