package org.heapspan.benchmarks.giraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.graph.GraphFigures;
import org.heapspan.benchmarks.graph.GraphJob;
import org.heapspan.benchmarks.graph.GraphWorkload;

/** Runs jobs one after the other, and saves figures after each. The files of its graphs are gone when it is closed. */
final class JobSeries implements AutoCloseable {
    private final JobProcess process;
    private final GraphFigures figures;
    private final Path json;
    private final Path inputs;
    private final Map<Path, GraphFile> files = new HashMap<>();

    /** Makes a series whose figures go to a file. */
    JobSeries(JobProcess process, GraphFigures figures, Path json) throws IOException {
        this.process = process;
        this.figures = figures;
        this.json = json;
        inputs = Files.createTempDirectory(process.folder(), "giraph-graphs");
    }

    /**
     * Runs a job.
     *
     * @param progress is printed before the name of the job
     * @return the job with its figures, or with why there are none
     */
    GraphJob run(String progress, GraphJob job) throws IOException, InterruptedException {
        System.out.printf("%s%s: ", progress, name(job));
        GraphJob result = process.run(job, file(job));
        figures.add(result);
        FigureFile.write(json, figures);
        System.out.println(
                result.failure.isEmpty() ? describe(result) : result.failure + "; log: " + process.log(result));
        return result;
    }

    private GraphFile file(GraphJob job) throws IOException {
        boolean weighted = job.workload == GraphWorkload.SSSP;
        Path path = inputs.resolve(job.graph + (weighted ? "-weighted" : ""));
        GraphFile file = files.get(path);
        if (file == null) {
            file = GraphFile.write(job.graph, weighted, Path.of(System.getProperty("heapspan.data")), path);
            files.put(path, file);
        }
        return file;
    }

    private static String name(GraphJob job) {
        return String.format(
                Locale.ROOT,
                "%s on %s, %s, %sheap of %d MB",
                job.workload.title(),
                job.graph,
                job.peer.title(),
                job.memoryMegabytes == 0 ? "" : job.memoryMegabytes + " MB of memory, ",
                job.heapMegabytes);
    }

    private static String describe(GraphJob job) {
        return String.format(
                Locale.ROOT,
                "%.1f s, %.1f s of them collections, %.1f s CPU, %.0f MB resident",
                job.seconds(),
                job.collectionSeconds,
                job.processorSeconds,
                job.residentPeakBytes / 1e6);
    }

    @Override
    public void close() throws IOException {
        for (Path file : files.keySet()) {
            Files.delete(file);
        }
        Files.delete(inputs);
    }
}
