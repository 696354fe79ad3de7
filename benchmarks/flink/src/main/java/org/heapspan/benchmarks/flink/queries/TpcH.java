package org.heapspan.benchmarks.flink.queries;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.benchmarks.Repository;

/** Makes the data of TPC-H, and knows the answers: with {@code tpchgen-cli} and DuckDB, which {@code ./dev} installs. */
final class TpcH {
    /** The home of a Python environment with both. */
    private static final String HOME = "heapspan.tpch.home";

    private TpcH() {}

    /** Whether both are here. */
    static boolean isInstalled() {
        String home = System.getProperty(HOME, "");
        return !home.isEmpty() && Files.isExecutable(Path.of(home, "bin/tpchgen-cli"));
    }

    /**
     * Makes the files if they are missing.
     *
     * @param scale their size in gigabytes
     * @return their folder
     */
    static Path data(String scale) throws IOException, InterruptedException {
        Path folder = Repository.root().resolve("build/bench/tpch-" + scale);
        if (!Files.exists(folder)) {
            Path unfinished = folder.resolveSibling(folder.getFileName() + ".unfinished");
            Files.createDirectories(unfinished);
            run("tpchgen-cli", "--quiet", "--overwrite", "--scale-factor=" + scale, "--output-dir=" + unfinished);
            Files.move(unfinished, folder);
        }
        return folder;
    }

    /** What DuckDB answers. */
    static Answer answer(Query query, Path folder) throws IOException, InterruptedException {
        String program =
                Repository.root().resolve("benchmarks/flink/answers.py").toString();
        return run("python", program, folder.toString(), query.name());
    }

    private static Answer run(String program, String... arguments) throws IOException, InterruptedException {
        if (!isInstalled()) {
            throw new IOException("-D" + HOME + " does not name a Python environment with tpchgen-cli and DuckDB: "
                    + System.getProperty(HOME) + "; ./dev bench flink-queries installs them");
        }
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty(HOME), "bin", program).toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Answer answer;
        try (BufferedReader output = process.inputReader()) {
            answer = Answer.of(output.lines());
        }
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed; what it said is above");
        }
        return answer;
    }
}
