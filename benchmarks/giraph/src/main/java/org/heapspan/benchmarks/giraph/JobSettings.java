package org.heapspan.benchmarks.giraph;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.edge.ArrayListEdges;
import org.apache.giraph.graph.Computation;
import org.apache.giraph.io.formats.GiraphFileInputFormat;
import org.apache.giraph.io.formats.IdWithValueTextOutputFormat;
import org.heapspan.benchmarks.graph.GraphJob;
import org.heapspan.benchmarks.graph.GraphPeer;
import org.heapspan.benchmarks.graph.GraphWorkload;
import org.heapspan.examples.giraph.AdjacencyInputFormat;
import org.heapspan.examples.giraph.BreadthFirstSearch;
import org.heapspan.examples.giraph.ConnectedComponents;
import org.heapspan.examples.giraph.LabelPropagation;
import org.heapspan.examples.giraph.PageRank;
import org.heapspan.examples.giraph.ShortestPaths;
import org.heapspan.giraph.SecondHeapEdges;
import org.heapspan.giraph.SecondHeapMessageStoreFactory;
import org.heapspan.giraph.SecondHeapObserver;

/** What Giraph is told of a job. */
final class JobSettings {
    private static final int THREADS = 2;

    private JobSettings() {}

    /**
     * The settings of a job in this JVM.
     *
     * @param folder for all its files
     */
    static GiraphConfiguration of(GraphJob job, GraphFile graph, Path folder) throws IOException {
        GiraphConfiguration settings = new GiraphConfiguration();
        settings.set("mapreduce.framework.name", "local");
        settings.set("mapred.job.tracker", "local");
        settings.set("hadoop.tmp.dir", folder.resolve("hadoop").toString());
        settings.setWorkerConfiguration(1, 1, 100);
        settings.setBoolean("giraph.SplitMasterWorker", false);
        settings.setBoolean("giraph.localTestMode", true);
        settings.set("giraph.logLevel", "error");
        settings.setNumComputeThreads(THREADS);
        settings.setInt("giraph.numInputThreads", THREADS);
        settings.setInt("giraph.numOutputThreads", 1);
        settings.setInt("giraph.userPartitionCount", job.partitions);
        settings.setVertexInputFormatClass(AdjacencyInputFormat.class);
        settings.setVertexOutputFormatClass(IdWithValueTextOutputFormat.class);
        GiraphFileInputFormat.addVertexInputPath(
                settings, new org.apache.hadoop.fs.Path(graph.path().toUri()));
        program(settings, job, graph);
        storage(settings, job.peer, folder);
        return settings;
    }

    private static void program(GiraphConfiguration settings, GraphJob job, GraphFile graph) {
        settings.setComputationClass(program(job.workload));
        if (job.workload == GraphWorkload.PR) {
            settings.setMasterComputeClass(PageRank.Master.class);
        }
        settings.setInt(PageRank.ITERATIONS, job.iterations);
        settings.setInt(LabelPropagation.ITERATIONS, job.iterations);
        settings.setBoolean("graph.directed", graph.directed());
        settings.setLong(BreadthFirstSearch.SOURCE, graph.source());
        settings.setLong(ShortestPaths.SOURCE, graph.source());
    }

    @SuppressWarnings("rawtypes")
    private static Class<? extends Computation> program(GraphWorkload workload) {
        return switch (workload) {
            case PR -> PageRank.class;
            case CDLP -> LabelPropagation.class;
            case WCC -> ConnectedComponents.class;
            case BFS -> BreadthFirstSearch.class;
            case SSSP -> ShortestPaths.class;
        };
    }

    private static void storage(GiraphConfiguration settings, GraphPeer peer, Path folder) {
        if (peer == GraphPeer.OBJECTS) {
            settings.setOutEdgesClass(ArrayListEdges.class);
        } else if (peer == GraphPeer.OUT_OF_CORE) {
            settings.setBoolean("giraph.useOutOfCoreGraph", true);
            // Without it the class that decides what is out of core fails in the first superstep.
            settings.setBoolean("giraph.waitForPerWorkerRequests", true);
            settings.set(
                    "giraph.partitionsDirectory", folder.resolve("partitions").toString());
        } else if (peer.isSecondHeap()) {
            settings.setOutEdgesClass(SecondHeapEdges.class);
            settings.set("giraph.messageStoreFactoryClass", SecondHeapMessageStoreFactory.class.getName());
            settings.addWorkerObserverClass(SecondHeapObserver.class);
            settings.set(
                    "giraph.heapspan.directory", folder.resolve("second-heap").toString());
            if (!peer.hasTransferHint()) {
                settings.setBoolean("giraph.heapspan.transferHint", false);
            }
            if (!peer.hasHighThreshold()) {
                settings.set("giraph.heapspan.highThreshold", "0");
            }
            if (!peer.hasLowThreshold()) {
                settings.set("giraph.heapspan.lowThreshold", "0");
            }
        }
    }
}
