package org.heapspan.benchmarks.giraph;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The program behind {@code ./dev bench giraph}: runs each job in a JVM of its own, and compares times and results. */
public final class GiraphReport {
    private static final String HELP = """
            Runs jobs on Giraph in memory, out of core, and with edges and messages in the second heap. Prints a table.

              --graph=cnr-2000      or ego-Twitter, or generated-VERTICES-EDGES
              --heap=512            Java heap in MB
              --programs=PageRank,LabelPropagation,ConnectedComponents,BreadthFirstSearch,ShortestPaths
              --storages=memory,out-of-core,second-heap   or without-hint, without-low-threshold, without-thresholds
              --partitions=64       of the graph
              --forks=1             JVMs for each figure; the table has the median of their times
              --gc=Parallel         collector
            """;

    private String graph = "cnr-2000";
    private int heapMegabytes = 512;
    private List<String> programs =
            List.of("PageRank", "LabelPropagation", "ConnectedComponents", "BreadthFirstSearch", "ShortestPaths");
    private List<Storage> storages = List.of(Storage.MEMORY, Storage.OUT_OF_CORE, Storage.SECOND_HEAP);
    private int partitions = 64;
    private int forks = 1;
    private String collector = "Parallel";

    private record Figures(
            double loadSeconds, double computeSeconds, double collectionSeconds, int supersteps, String sum) {}

    private GiraphReport() {}

    /** Measures and prints a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        GiraphReport report = new GiraphReport();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals < 0 || !report.takes(argument.substring(0, equals), argument.substring(equals + 1))) {
                System.out.print(HELP);
                return;
            }
        }
        report.measure();
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--graph" -> graph = value;
            case "--heap" -> heapMegabytes = Integer.parseInt(value);
            case "--programs" -> programs = List.of(value.split(",", -1));
            case "--storages" ->
                storages = Stream.of(value.split(",", -1))
                        .map(each ->
                                Storage.valueOf(each.toUpperCase(Locale.ROOT).replace('-', '_')))
                        .toList();
            case "--partitions" -> partitions = Integer.parseInt(value);
            case "--forks" -> forks = Integer.parseInt(value);
            case "--gc" -> collector = value;
            default -> {
                return false;
            }
        }
        return true;
    }

    private void measure() throws IOException, InterruptedException {
        System.out.printf(
                "graph %s, Java heap of %d MB, %s, %d partitions, 2 threads, JDK %s%n%n",
                graph, heapMegabytes, collector, partitions, Runtime.version());
        System.out.println("| program | edges and messages | load, s | compute, s | collections, s | result |");
        System.out.println("|---|---|--:|--:|--:|---|");
        Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("build", "bench")), "giraph");
        try {
            for (String program : programs) {
                boolean weighted = program.equals("ShortestPaths");
                Path file = folder.resolve(weighted ? "weighted.txt" : "graph.txt");
                if (!Files.exists(file)) {
                    GraphFile.write(graph, weighted, Path.of(System.getProperty("heapspan.data")), file);
                }
                String sum = null;
                for (Storage storage : storages) {
                    Figures figures = median(storage, program, file, folder);
                    System.out.printf("| %s | %s | %s%n", program, storage.title(), row(figures, sum));
                    sum = sum == null && figures != null ? figures.sum : sum;
                }
            }
        } finally {
            delete(folder);
        }
    }

    private static String row(Figures figures, String expected) {
        if (figures == null) {
            return "| | | fails |";
        }
        return String.format(
                "%.1f | %.1f | %.1f | %s |",
                figures.loadSeconds,
                figures.computeSeconds,
                figures.collectionSeconds,
                expected == null
                        ? figures.sum
                        : figures.sum.equals(expected) ? "the same" : "DIFFERENT: " + figures.sum);
    }

    /** Null if the job fails. */
    private Figures median(Storage storage, String program, Path file, Path folder)
            throws IOException, InterruptedException {
        List<Figures> all = new ArrayList<>();
        for (int i = 0; i < forks; i++) {
            Figures figures = run(storage, program, file, folder.resolve("job"));
            if (figures == null) {
                return null;
            }
            all.add(figures);
        }
        all.sort(Comparator.comparingDouble(Figures::computeSeconds));
        return all.get(all.size() / 2);
    }

    private Figures run(Storage storage, String program, Path file, Path job) throws IOException, InterruptedException {
        delete(job);
        Files.createDirectories(job);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms" + heapMegabytes + "m",
                "-Xmx" + heapMegabytes + "m",
                "-XX:+Use" + collector + "GC",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                GiraphRun.class.getName(),
                storage.name(),
                program,
                file.toString(),
                job.toString(),
                Integer.toString(partitions)));
        Path log = job.resolveSibling(program + "-" + storage.name() + ".log");
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Map<String, String> lines = new TreeMap<>();
        output.lines()
                .filter(line -> line.startsWith("times ") || line.startsWith("sum "))
                .forEach(
                        line -> lines.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)));
        if (process.waitFor() != 0 || lines.size() != 2) {
            return null;
        }
        String[] times = lines.get("times").split(" ", -1);
        return new Figures(
                Double.parseDouble(times[0]),
                Double.parseDouble(times[1]),
                Double.parseDouble(times[2]),
                Integer.parseInt(times[3]),
                lines.get("sum"));
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
