package org.heapspan.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The program behind {@code ./dev bench startup}: what Heapspan costs a JVM before and at its first use, each figure from JVMs of
 * its own, in turns with JVMs that do nothing.
 */
public final class StartUpReport {
    static final String HELP = """
            Measures how long the first use takes, in fresh JVMs with dist/heapspan.jar.

              --runs=15             JVMs for each figure
              --jdk=25,17           JDKs; their homes are in JAVA25_HOME, JAVA17_HOME (default: both)
            """;

    private static final String[] TIMES = {"Heapspan.create()", "first encode", "first decode"};

    private final String classPath;
    private final int runs;

    private StartUpReport(String classPath, int runs) {
        this.classPath = classPath;
        this.runs = runs;
    }

    /** Measures and prints a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int runs = 15;
        String jdks = "25,17";
        for (String argument : arguments) {
            if (argument.startsWith("--runs=")) {
                runs = Integer.parseInt(argument.substring(7));
            } else if (argument.startsWith("--jdk=")) {
                jdks = argument.substring(6);
            } else {
                System.out.print(HELP);
                System.exit(argument.equals("--help") ? 0 : 2);
            }
        }
        String jar = System.getProperty("heapspan.jar", "dist/heapspan.jar");
        String classPath = jar + File.pathSeparator + System.getProperty("java.class.path");
        List<Jdk> homes = Arrays.stream(jdks.split(",", -1)).map(Jdk::named).toList();
        MachineNote.describe(homes).forEach(line -> System.out.println("* " + line));
        System.out.println();
        System.out.println("| JDK | what | median, ms | spread, ms | processor time of the thread, ms | allocated |");
        System.out.println("|---|---|--:|--:|--:|--:|");
        for (Jdk jdk : homes) {
            new StartUpReport(classPath, runs).measure(jdk);
        }
    }

    private void measure(Jdk jdk) throws IOException, InterruptedException {
        List<long[]> times = new ArrayList<>();
        long[] nothing = new long[runs];
        long[] whole = new long[runs];
        for (int i = 0; i < runs; i++) {
            long start = System.nanoTime();
            run(jdk, "nothing");
            long between = System.nanoTime();
            times.add(numbers(run(jdk, "times")));
            whole[i] = (System.nanoTime() - between) / 1000;
            nothing[i] = (between - start) / 1000;
        }
        long[] bytes = numbers(run(jdk, "bytes"));
        print(jdk, "a JVM that does nothing", nothing, null, "");
        print(jdk, "a JVM that encodes and decodes one record", whole, null, "");
        for (int phase = 0; phase < TIMES.length; phase++) {
            int at = 2 * phase;
            String allocated =
                    phase == 0 ? kilobytes(bytes[0]) : phase == 1 ? kilobytes(bytes[1]) + " with decode" : "";
            print(jdk, TIMES[phase], column(times, at), column(times, at + 1), allocated);
        }
    }

    private static String kilobytes(long bytes) {
        return String.format(Locale.ROOT, "%,d KB", bytes >> 10);
    }

    private static long[] column(List<long[]> rows, int index) {
        return rows.stream().mapToLong(row -> row[index]).toArray();
    }

    private static void print(Jdk jdk, String what, long[] micros, long[] processorMicros, String allocated) {
        long[] sorted = micros.clone();
        Arrays.sort(sorted);
        double spread = (sorted[sorted.length * 3 / 4] - sorted[sorted.length / 4]) / 2000.0;
        System.out.printf(
                Locale.ROOT,
                "| %s | %s | %.1f | ±%.1f | %s | %s |%n",
                jdk.name(),
                what,
                sorted[sorted.length / 2] / 1000.0,
                spread,
                processorMicros == null ? "" : String.format(Locale.ROOT, "%.1f", median(processorMicros) / 1000.0),
                allocated);
    }

    private static long median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static long[] numbers(String line) {
        return Arrays.stream(line.trim().split(" ", -1))
                .mapToLong(Long::parseLong)
                .toArray();
    }

    private String run(Jdk jdk, String what) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(jdk.home().resolve("bin").resolve("java").toString()));
        if (Integer.parseInt(jdk.name()) >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", classPath, StartUpRun.class.getName(), what));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(command + " ended with " + process.exitValue());
        }
        return output;
    }
}
