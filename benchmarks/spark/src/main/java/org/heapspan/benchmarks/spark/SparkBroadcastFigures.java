package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.OfRun;
import org.heapspan.benchmarks.RunNote;

/** What broadcasts took in {@link SparkBroadcastReport}, with a note on each run; the content of {@code spark-broadcast.json}. A bean. */
final class SparkBroadcastFigures {
    /** What an application leaves, an element for each broadcast; see {@code BroadcastRead} of the workloads. A bean. */
    static final class Figures extends OfRun {
        public String kind = "";
        public String peer = "";

        /** Of the value in the heap, in units of 2^20 bytes. */
        public int megabytes;

        public int executors;

        /** Broadcasts that are not counted, and after them those that are. */
        public int warmUp;

        public int times;

        /** Why there are no figures; empty if there are. */
        public String failure = "";

        public List<Double> driverSeconds = new ArrayList<>();
        public List<Double> readSeconds = new ArrayList<>();
        public List<Double> cpuSeconds = new ArrayList<>();
        public List<Double> heapBytes = new ArrayList<>();
        public List<Double> sharedBytes = new ArrayList<>();
    }

    private List<RunNote> runs = new ArrayList<>();
    private List<Figures> applications = new ArrayList<>();

    /**
     * The figures in this file.
     *
     * @throws IOException if there is none
     */
    static SparkBroadcastFigures load(Path json) throws IOException {
        return FigureFile.read(json, SparkBroadcastFigures.class, "spark-broadcast");
    }

    void save(Path json) throws IOException {
        FigureFile.write(json, this);
    }

    /** The runs that applications are of, in the order of measuring. */
    List<RunNote> runs() {
        return runs;
    }

    /** In the order of measuring. */
    List<Figures> applications() {
        return applications;
    }

    /**
     * Adds the note of a run that begins: applications that are added from now on are of this run.
     *
     * @throws IOException if former figures are of another kind of machine
     */
    void begin(RunNote run) throws IOException {
        run.mustBeComparableWith(runs);
        runs.add(run);
    }

    /** Adds one of the latest run. */
    void add(Figures application) {
        application.run = runs.size() - 1;
        applications.add(application);
        runs.get(application.run).end();
        OfRun.dropUnused(runs, applications);
    }
}
