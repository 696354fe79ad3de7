package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.spark.SparkStartUpReport.Kind;

/** What the applications of {@link SparkStartUpReport} took, with a note on their run; the content of {@code spark-startup.json}. A bean. */
final class SparkStartUpFigures {
    /** What an application leaves, in seconds; see {@code StartUp} of the workloads. A bean. */
    static final class Figures {
        public double context;
        public double executors;
        public double firstQuery;
        public double whole;
        public double driverCpu;
        public double executorsCpu;
        public double queryWall;
        public double queryCpu;
    }

    public RunNote run = new RunNote();

    /** Queries of an application that are not counted, and those that are. */
    public int warmUp;

    public int times;

    /** Applications that only start, those of each kind in the order of measuring. */
    public Map<Kind, List<Figures>> started = new LinkedHashMap<>();

    /** Applications that run queries. */
    public Map<Kind, List<Figures>> queried = new LinkedHashMap<>();

    /**
     * The figures in this file.
     *
     * @throws IOException if there is none
     */
    static SparkStartUpFigures load(Path json) throws IOException {
        return FigureFile.read(json, SparkStartUpFigures.class, "spark-startup");
    }

    void save(Path json) throws IOException {
        run.end();
        FigureFile.write(json, this);
    }

    static void add(Map<Kind, List<Figures>> all, Kind kind, Figures figures) {
        all.computeIfAbsent(kind, any -> new ArrayList<>()).add(figures);
    }
}
