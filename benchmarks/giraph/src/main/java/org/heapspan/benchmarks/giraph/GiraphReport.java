package org.heapspan.benchmarks.giraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.util.VersionInfo;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.Choice;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.MachineNote;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.Repository;
import org.heapspan.benchmarks.RunNote;
import org.heapspan.benchmarks.graph.GraphFigures;
import org.heapspan.benchmarks.graph.GraphJob;
import org.heapspan.benchmarks.graph.GraphPeer;
import org.heapspan.benchmarks.graph.GraphWorkload;

/** The program behind {@code ./dev bench giraph}: jobs with edges and messages in memory, out of core, and in the second heap. */
public final class GiraphReport {
    private static final Publication PUBLICATION = GraphFigures.PUBLICATION;

    /** What a JVM takes beside the heap. */
    private static final int BESIDE_HEAP_MEGABYTES = 256;

    private static final String HELP = """
            Runs algorithms of LDBC Graphalytics on Giraph with edges and messages in memory, out of core, and in the second heap. Each job has a
            JVM of its own. All peers must find the same.

              --workloads=WORKLOADS
              --graphs=cnr-2000,ego-Twitter,generated-500000-32    VERTICES-EDGES: so many edges of each vertex
              --peers=PEERS
              --memory=MB,MB        megabytes that a job may have together with pages of its files; several are tried one after the other.
                                    0 (the default) for no limit. Takes root's rights and the memory controller of cgroup v1
              --least=MB            looks for the least memory with which each peer succeeds, in steps of so many megabytes, up to --memory. All
                                    but 256 MB is Java heap
              --heap=MB,MB          Java heaps to try; without it, one that fits into the memory (512 if there is no limit)
              --partitions=64       of the graph
              --iterations=10       of PageRank and label propagation
              --runs=1              jobs of each kind
              --gc=Parallel         or G1
              --jdk=25              17 or 25; its home is in JAVA17_HOME or JAVA25_HOME
              --timeout=10          minutes after which a job is given up
              --add                 keep the figures of former runs (build/bench/giraph.json, else docs/figures/giraph.json), and leave out what they
                                    have
              --demo                PageRank on a generated graph, two minutes; writes no file
              --render              measure nothing, write the tables again
              --publish             also into docs/benchmarks-giraph.md

            Figures are saved after each job, tables go to build/bench/giraph.md at the end.
            """;

    private List<GraphWorkload> workloads = List.of(GraphWorkload.values());
    private List<String> graphs = List.of("cnr-2000", "ego-Twitter", "generated-500000-32");
    private List<GraphPeer> peers = GraphPeer.byDefault();
    private List<Integer> memories = List.of(0);
    private int leastStep;
    private List<Integer> heaps = List.of();
    private int partitions = 64;
    private int iterations = 10;
    private int runs = 1;
    private String collector = "Parallel";
    private String jdkName = "25";
    private int timeoutMinutes = 10;
    private boolean add;
    private boolean demo;
    private final PublishOptions output = new PublishOptions();

    private GiraphReport() {}

    /** Measures and prints tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        GiraphReport report = new GiraphReport();
        Arguments.read(
                arguments,
                HELP.replace("WORKLOADS", Choice.optionNames(GraphWorkload.values()))
                        .replace("PEERS", Choice.optionNames(GraphPeer.values())),
                report::takes);
        report.run(arguments);
    }

    private boolean takes(String name, String value) {
        List<String> values = Arrays.asList(value.split(",", -1));
        switch (name) {
            case "--workloads" -> workloads = Choice.named(values, GraphWorkload.values(), "workload");
            case "--graphs" -> {
                values.forEach(GraphFile::check);
                graphs = values;
            }
            case "--peers" -> peers = Choice.named(values, GraphPeer.values(), "peer");
            case "--memory" -> memories = values.stream().map(Integer::valueOf).toList();
            case "--least" -> leastStep = Integer.parseInt(value);
            case "--heap" -> heaps = values.stream().map(Integer::valueOf).toList();
            case "--partitions" -> partitions = Integer.parseInt(value);
            case "--iterations" -> iterations = Integer.parseInt(value);
            case "--runs" -> runs = Integer.parseInt(value);
            case "--gc" -> collector = value;
            case "--jdk" -> jdkName = value;
            case "--timeout" -> timeoutMinutes = Integer.parseInt(value);
            case "--add" -> add = true;
            case "--demo" -> shorten();
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private void shorten() {
        demo = true;
        workloads = List.of(GraphWorkload.PR);
        graphs = List.of("generated-100000-32");
        peers = List.of(GraphPeer.BYTES, GraphPeer.OUT_OF_CORE, GraphPeer.HEAPSPAN);
        heaps = List.of(128);
        iterations = 5;
        timeoutMinutes = 3;
    }

    private void run(String[] arguments) throws IOException, InterruptedException {
        Path root = Repository.root();
        Path folder = Files.createDirectories(root.resolve("build/bench"));
        Path json = demo ? Files.createTempFile("giraph", ".json") : PUBLICATION.figures(root);
        GraphFigures figures =
                add || output.isRender() ? GraphFigures.load(PUBLICATION.formerFigures(root)) : new GraphFigures();
        if (!output.isRender()) {
            measure(figures, arguments, folder, json);
        }
        if (demo) {
            Files.delete(json);
            System.out.println(figures.tables());
            System.out.println("All jobs that end find the same. More graphs and algorithms: ./dev bench giraph");
            return;
        }
        output.show(PUBLICATION, root);
    }

    private void measure(GraphFigures figures, String[] arguments, Path folder, Path json)
            throws IOException, InterruptedException {
        Jdk jdk = Jdk.named(jdkName);
        List<String> software = new ArrayList<>(MachineNote.jdks(List.of(jdk)));
        software.add("Giraph " + MachineNote.version("org.apache.giraph", "giraph-core") + ", Hadoop "
                + VersionInfo.getVersion() + "; master and one worker with two threads in a JVM");
        figures.begin(RunNote.beginWith("bench giraph", arguments, software));
        try (JobSeries series = new JobSeries(new JobProcess(jdk, folder, timeoutMinutes), figures, json)) {
            if (leastStep > 0) {
                searchLeast(figures, series);
                return;
            }
            List<GraphJob> jobs = jobs();
            if (add) {
                jobs = missing(jobs, figures);
            }
            for (int i = 0; i < jobs.size(); i++) {
                series.run(String.format("[%d/%d] ", i + 1, jobs.size()), jobs.get(i));
            }
        }
    }

    private void searchLeast(GraphFigures figures, JobSeries series) throws IOException, InterruptedException {
        for (String graph : graphs) {
            for (GraphWorkload workload : workloads) {
                for (GraphPeer peer : peers) {
                    LeastMemory.search(BESIDE_HEAP_MEGABYTES, Collections.max(memories), leastStep, megabytes -> {
                        GraphJob job = job(graph, workload, peer, megabytes, megabytes - BESIDE_HEAP_MEGABYTES);
                        job.trial = true;
                        Optional<GraphJob> known = figures.find(job);
                        return (known.isPresent() ? known.get() : series.run("", job)).failure.isEmpty();
                    });
                }
            }
        }
    }

    /** All of a run before all of the next: the figures of a command that had to end early are of use. */
    private List<GraphJob> jobs() {
        List<GraphJob> jobs = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            for (String graph : graphs) {
                for (GraphWorkload workload : workloads) {
                    for (int memory : memories) {
                        for (GraphPeer peer : peers) {
                            for (int heap : heaps.isEmpty() ? List.of(heapOf(peer, memory)) : heaps) {
                                jobs.add(job(graph, workload, peer, memory, heap));
                            }
                        }
                    }
                }
            }
        }
        return jobs;
    }

    /** The second heap needs room in the page cache, too. */
    private static int heapOf(GraphPeer peer, int memoryMegabytes) {
        if (memoryMegabytes == 0) {
            return 512;
        }
        int most = memoryMegabytes - BESIDE_HEAP_MEGABYTES;
        return peer.isSecondHeap() ? most * 3 / 4 : most;
    }

    private GraphJob job(String graph, GraphWorkload workload, GraphPeer peer, int memory, int heap) {
        GraphJob job = new GraphJob();
        job.workload = workload;
        job.graph = graph;
        job.peer = peer;
        job.jdk = jdkName;
        job.collector = collector;
        job.heapMegabytes = heap;
        job.memoryMegabytes = memory;
        job.partitions = partitions;
        job.iterations = iterations;
        return job;
    }

    /** Those of which there are not yet as many as shall be. */
    private List<GraphJob> missing(List<GraphJob> jobs, GraphFigures figures) {
        List<GraphJob> missing = new ArrayList<>();
        int ofOneRun = jobs.size() / runs;
        for (int i = 0; i < jobs.size(); i++) {
            if (i / ofOneRun >= figures.count(jobs.get(i))) {
                missing.add(jobs.get(i));
            }
        }
        return missing;
    }
}
