package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.RunNote;

/** What broadcasts took in {@link SparkBroadcastReport}, with a note on their run; the content of {@code spark-broadcast.json}. A bean. */
final class SparkBroadcastFigures {
    /** What an application leaves, an element for each broadcast; see {@code BroadcastRead} of the workloads. A bean. */
    static final class Figures {
        public String kind = "";
        public String peer = "";

        /** Of the value in the heap, in units of 2^20 bytes. */
        public int megabytes;

        /** Why there are no figures; empty if there are. */
        public String failure = "";

        public List<Double> driverSeconds = new ArrayList<>();
        public List<Double> readSeconds = new ArrayList<>();
        public List<Double> cpuSeconds = new ArrayList<>();
        public List<Double> heapBytes = new ArrayList<>();
        public List<Double> sharedBytes = new ArrayList<>();
    }

    public RunNote run = new RunNote();

    public int executors;

    /** Broadcasts of an application that are not counted, and those that are. */
    public int warmUp;

    public int times;

    /** In the order of measuring. */
    public List<Figures> applications = new ArrayList<>();

    /**
     * The figures in this file.
     *
     * @throws IOException if there is none
     */
    static SparkBroadcastFigures load(Path json) throws IOException {
        return FigureFile.read(json, SparkBroadcastFigures.class, "spark-broadcast");
    }

    void save(Path json) throws IOException {
        run.end();
        FigureFile.write(json, this);
    }
}
