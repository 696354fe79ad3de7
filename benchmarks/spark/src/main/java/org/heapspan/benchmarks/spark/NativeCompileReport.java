package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Folders;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.RunNote;

/** The program behind {@code ./dev bench native-compile}: how long {@code heapspan native build} takes for each program of {@code examples/native}. */
public final class NativeCompileReport {
    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-native.md",
            "native-compile",
            "native-compile",
            (figures, folder) -> new Rendered(NativeCompileFigures.load(figures).tables(), List.of()));

    private static final String HELP = """
            Builds each program of examples/native with 'heapspan native build', in turns.

              --times=3             how often each is built
              --render              measure nothing, write the table again
              --publish             also into docs/benchmarks-native.md

            Figures go to build/bench/native-compile.json, the table to build/bench/native-compile.md.
            """;

    private static final String SOURCE = ".cpp";

    private final Path root = Repository.root();
    private int times = 3;
    private final PublishOptions output = new PublishOptions();

    private NativeCompileReport() {}

    /** Measures and writes a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        NativeCompileReport report = new NativeCompileReport();
        Arguments.read(arguments, HELP, report::takes);
        if (!report.output.isRender()) {
            report.measure(arguments);
        }
        report.output.show(PUBLICATION, report.root);
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--times" -> times = Integer.parseInt(value);
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void measure(String[] arguments) throws IOException, InterruptedException {
        Path folder = Folders.fresh(root.resolve("build/bench/native-compile"));
        NativeCompileFigures figures = new NativeCompileFigures();
        figures.run = RunNote.beginWith(
                "bench native-compile", arguments, List.of("Compiler: " + ProgramBuild.compilerVersion()));
        List<String> programs = programs();
        // The headers are compiled into a new folder.
        figures.firstSeconds = build(programs.get(0), folder);
        for (int i = 0; i < times; i++) {
            for (String program : programs) {
                double seconds = build(program, folder);
                figures.add(program, seconds);
                System.out.printf(Locale.ROOT, "%s: %.1f s%n", program, seconds);
            }
        }
        figures.save(PUBLICATION.figures(root));
    }

    private List<String> programs() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("examples/native"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(SOURCE))
                    .map(name -> name.substring(0, name.length() - SOURCE.length()))
                    .sorted()
                    .toList();
        }
    }

    /** How long the command takes as a whole, as its user sees it. */
    private double build(String program, Path folder) throws IOException, InterruptedException {
        ProcessBuilder builder = ProgramBuild.ofNative(root, program, folder);
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        long start = System.nanoTime();
        ProgramBuild.run(builder);
        return (System.nanoTime() - start) / 1e9;
    }
}
