package org.heapspan.cli;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/** Compares Heapspan with Java serialization, and with Kryo and Fory if the user brings them, on the user's machine. */
final class Bench implements Command {
    private static final int BAR_CHARS = 30;

    private final @Nullable String file;
    private final String classPath;
    private final String plot;
    private final int rounds;
    private final int seconds;

    Bench(Options options) throws Failure {
        file = options.value("--file");
        String own = options.value("--class-path");
        String peers = options.value("--peer-path");
        classPath = String.join(File.pathSeparator, own == null ? "" : own, peers == null ? "" : peers);
        String svg = options.value("--svg");
        plot = svg == null ? "heapspan-bench.svg" : svg;
        rounds = options.number("--rounds", 1, 1000, 7);
        seconds = options.number("--seconds", 1, 3600, 2);
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        ClassLoader loader = loader();
        List<BenchLibrary> libraries = BenchLibrary.all(loader);
        List<BenchSample> samples = new ArrayList<>();
        if (file != null) {
            samples.add(ofFile(file, loader));
        }
        samples.addAll(BenchSample.builtIn());
        String machine = machine();
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
            throw Failure.of("the plot cannot be written to " + plot + ": " + e.getMessage());
        }
        out.println();
        out.println("plot: " + plot);
    }

    private static String machine() {
        VirtualMachine machine = VirtualMachine.current();
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.version") + ", "
                + machine.collector().displayName() + ", "
                + Runtime.getRuntime().availableProcessors()
                + " processors, means of access " + machine.means();
    }

    private ClassLoader loader() throws Failure {
        List<URL> urls = new ArrayList<>();
        for (String element : classPath.split(File.pathSeparator, -1)) {
            if (!element.isEmpty()) {
                addElement(urls, element);
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), Bench.class.getClassLoader());
    }

    /** A jar, a folder of classes, or all jars of a folder as {@code folder/*}. */
    private static void addElement(List<URL> urls, String element) throws Failure {
        try {
            if (element.endsWith("*")) {
                Path folder = Path.of(element.substring(0, element.length() - 1));
                try (var jars = Files.newDirectoryStream(folder, "*.jar")) {
                    for (Path jar : jars) {
                        urls.add(jar.toUri().toURL());
                    }
                }
            } else if (Files.exists(Path.of(element))) {
                urls.add(Path.of(element).toUri().toURL());
            } else {
                throw Failure.of("there is no " + element + " for the class path");
            }
        } catch (MalformedURLException | InvalidPathException e) {
            throw Failure.of(element + " is no path: " + e.getMessage());
        } catch (IOException e) {
            throw Failure.of("listing " + element + " failed: " + e.getMessage());
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
