package org.heapspan.cli;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/** Compares Heapspan with Java serialization, and with Kryo and Fory if the user brings them, on the user's machine. */
final class Bench implements Command {
    private static final int BAR_CHARS = 30;

    /** JEP 471, which has the flag that silences the warning. */
    private static final int FIRST_TO_WARN_OF_UNSAFE = 23;

    /** From one JVM to the next: what --peer-path names is on the class path. */
    private static final String PEERS_ARE_HERE = "--peers-are-here";

    private final @Nullable String file;
    private final String classPath;

    /** Whether peers were asked for, so that those which cannot be used are missed. */
    private final boolean withPeers;

    private final @Nullable String sampleNames;
    private final String plot;
    private final int rounds;
    private final int seconds;

    Bench(Options options) throws Failure {
        file = options.value("--file");
        String own = options.value("--class-path");
        String peers = options.value("--peer-path");
        classPath = Stream.of(own, peers).filter(Objects::nonNull).collect(Collectors.joining(File.pathSeparator));
        withPeers = options.flag(PEERS_ARE_HERE) || peers != null;
        sampleNames = options.value("--samples");
        String svg = options.value("--svg");
        plot = svg == null ? "heapspan-bench.svg" : svg;
        rounds = options.number("--rounds", 1, 1000, 7);
        seconds = options.number("--seconds", 0, 3600, 2);
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        if (!classPath.isEmpty()) {
            runWithClassPath(out);
            return;
        }
        ClassLoader loader = Bench.class.getClassLoader();
        List<String> absences = new ArrayList<>();
        List<BenchLibrary> libraries = BenchLibrary.all(loader, absences);
        List<BenchSample> samples = new ArrayList<>();
        if (file != null) {
            samples.add(ofFile(file, loader));
        }
        samples.addAll(chosen(BenchSample.builtIn()));
        String machine = machine();
        if (withPeers) {
            absences.forEach(out::println);
        }
        out.println("Heapspan " + Version.text() + " against "
                + String.join(
                        ", ", libraries.stream().skip(1).map(BenchLibrary::name).toList()));
        out.println(machine);
        out.println(rounds + " rounds after a warm-up, median of them; about "
                + samples.size() * libraries.size() * seconds + " s");
        out.flush();
        BenchMeasurement measurement = new BenchMeasurement(rounds, seconds);
        List<List<BenchResult>> all = new ArrayList<>();
        for (BenchSample sample : samples) {
            List<BenchResult> results = measurement.measure(sample, libraries);
            all.add(results);
            print(out, sample, results);
        }
        if (measurement.sink() == 42) {
            out.println();
        }
        try {
            Files.writeString(Path.of(plot), BenchPlot.svg(all, machine));
        } catch (IOException | InvalidPathException e) {
            throw Failure.of("the plot cannot be written to " + plot + ": " + Failure.reason(e));
        }
        out.println();
        out.println("plot: " + plot);
    }

    private List<BenchSample> chosen(List<BenchSample> builtIn) throws Failure {
        if (sampleNames == null) {
            return builtIn;
        }
        List<String> known = builtIn.stream().map(BenchSample::name).toList();
        List<String> names = List.of(sampleNames.split(",", -1));
        for (String name : names) {
            if (!known.contains(name)) {
                throw Failure.ofUsage("there is no sample '" + name + "'; there are " + String.join(", ", known));
            }
        }
        return builtIn.stream().filter(sample -> names.contains(sample.name())).toList();
    }

    private static String machine() {
        VirtualMachine machine = VirtualMachine.current();
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.version") + ", "
                + machine.collector().displayName() + ", "
                + Runtime.getRuntime().availableProcessors()
                + " processors, means of access " + machine.means();
    }

    /**
     * Measures in a JVM of its own with everything on one class path: libraries that generate code want the classes of the graph
     * and their own to see each other.
     */
    private void runWithClassPath(PrintWriter out) throws Failure {
        for (String element : classPath.split(File.pathSeparator, -1)) {
            String plain = element.endsWith("*") ? element.substring(0, element.length() - 1) : element;
            if (!plain.isEmpty() && !new File(plain).exists()) {
                throw Failure.of("there is no " + plain + " for the class path");
            }
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        if (withPeers && Runtime.version().feature() >= FIRST_TO_WARN_OF_UNSAFE) {
            // For the peers; Heapspan needs no flag.
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        String options = System.getenv("HEAPSPAN_JAVA_OPTS");
        if (options != null && !options.isBlank()) {
            command.addAll(List.of(options.trim().split("\\s+", -1)));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path") + File.pathSeparator + classPath));
        command.addAll(List.of(Main.class.getName(), "bench", "--svg", plot));
        command.addAll(List.of("--rounds", Integer.toString(rounds), "--seconds", Integer.toString(seconds)));
        if (withPeers) {
            command.add(PEERS_ARE_HERE);
        }
        if (sampleNames != null) {
            command.addAll(List.of("--samples", sampleNames));
        }
        if (file != null) {
            command.addAll(List.of("--file", file));
        }
        out.flush();
        try {
            int exitCode = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (exitCode != OK) {
                throw Failure.of("the JVM that measured ended with exit code " + exitCode);
            }
        } catch (IOException e) {
            throw Failure.of("a JVM to measure in cannot be started: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.of("interrupted");
        }
    }

    private static BenchSample ofFile(String file, ClassLoader loader) throws Failure {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(file)))) {
            Object root = new BenchLibrary.OfJava(loader).decode(in.readAllBytes());
            if (root == null) {
                throw Failure.of(file + " holds null");
            }
            return new BenchSample(
                    Path.of(file).getFileName().toString(), root.getClass().getName(), root);
        } catch (IOException | ClassNotFoundException | LinkageError | RuntimeException e) {
            throw Failure.of("reading an object that ObjectOutputStream wrote from " + file + " failed: " + e);
        }
    }

    private static void print(PrintWriter out, BenchSample sample, List<BenchResult> results) {
        double java = results.stream()
                .filter(r -> r.library().equals(BenchLibrary.OfJava.NAME) && r.measured())
                .mapToDouble(BenchResult::both)
                .findFirst()
                .orElse(0);
        double most = results.stream()
                .filter(BenchResult::measured)
                .mapToDouble(BenchResult::both)
                .max()
                .orElse(1);
        out.println();
        out.println(sample.name() + ": " + sample.title());
        out.println("  " + Text.left("", 10) + Text.right("size", 12) + Text.right("encode", 12)
                + Text.right("decode", 12) + Text.right("spread", 9) + Text.right("speed", 9));
        for (BenchResult result : results) {
            if (!result.measured()) {
                out.println("  " + Text.left(result.library(), 10) + "  failed: " + result.failure());
                continue;
            }
            out.println("  " + Text.left(result.library(), 10)
                    + Text.right(Text.bytes(result.sizeBytes()), 12)
                    + Text.right(Text.nanoseconds(result.encode()), 12)
                    + Text.right(Text.nanoseconds(result.decode()), 12)
                    + Text.right(String.format(Locale.ROOT, "+-%.0f%%", 100 * result.spread()), 9)
                    + Text.right(java > 0 ? String.format(Locale.ROOT, "%.1fx", java / result.both()) : "", 9)
                    + "  " + Text.bar(result.both(), most, BAR_CHARS));
        }
        out.flush();
    }
}
