package org.heapspan.benchmarks.graph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.OfRun;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.RunNote;

/** All jobs that were measured, with a note on each run; the content of {@code giraph.json}. A bean. */
public final class GraphFigures {
    /** Where the figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-giraph.md",
            "giraph",
            "giraph",
            (figures, folder) -> new Rendered(load(figures).tables(), List.of()));

    public List<RunNote> runs = new ArrayList<>();
    public List<GraphJob> all = new ArrayList<>();

    /**
     * The figures in this file, or none if there is no file.
     *
     * @throws IOException if it holds something else
     */
    public static GraphFigures load(Path json) throws IOException {
        return Files.exists(json) ? FigureFile.read(json, GraphFigures.class) : new GraphFigures();
    }

    /**
     * Adds the note of a run that begins: jobs that are added from now on are of this run.
     *
     * @throws IOException if former figures are of another kind of machine, or were measured another way
     */
    public void begin(RunNote run) throws IOException {
        run.mustBeComparableWith(runs);
        runs.add(run);
    }

    /** How often a job was run in this way. */
    public int count(GraphJob job) {
        return Math.toIntExact(all.stream().filter(job::isLike).count());
    }

    /** A job that was run in this way, if there is one. */
    public Optional<GraphJob> find(GraphJob job) {
        return all.stream().filter(job::isLike).findFirst();
    }

    /**
     * Adds a job of the latest run.
     *
     * @throws IOException if its results are not those of the others
     */
    public void add(GraphJob job) throws IOException {
        for (GraphJob other : all) {
            if (job.succeeded() && other.succeeded() && job.isAnswerLike(other) && !job.hasAnswerOf(other)) {
                throw new IOException(String.format(
                        "%s on %s: %s finds %d vertices, %s, hash %x, but %s %d vertices, %s, hash %x",
                        job.workload.title(),
                        job.graph,
                        job.peer.title(),
                        job.vertices,
                        job.weightedSum,
                        job.hash,
                        other.peer.title(),
                        other.vertices,
                        other.weightedSum,
                        other.hash));
            }
        }
        job.run = runs.size() - 1;
        all.add(job);
        OfRun.dropUnused(runs, all);
        runs.get(runs.size() - 1).end();
    }

    /** As Markdown. */
    public String tables() {
        return new GraphTables(this).text();
    }
}
