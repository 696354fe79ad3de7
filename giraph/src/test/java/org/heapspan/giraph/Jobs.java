package org.heapspan.giraph;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.graph.Computation;
import org.apache.giraph.io.formats.IdWithValueTextOutputFormat;
import org.apache.giraph.utils.InternalVertexRunner;
import org.heapspan.examples.giraph.AdjacencyInputFormat;
import org.heapspan.examples.giraph.PageRank;

/** Jobs of Giraph in this JVM, with a ZooKeeper. */
final class Jobs {
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private Jobs() {}

    /** A program that reads adjacency lists, on Giraph as it is. */
    @SuppressWarnings("rawtypes")
    static GiraphConfiguration plain(Class<? extends Computation> program, Path folder) {
        GiraphConfiguration settings = new GiraphConfiguration();
        settings.setComputationClass(program);
        if (program.equals(PageRank.class)) {
            settings.setMasterComputeClass(PageRank.Master.class);
        }
        settings.setVertexInputFormatClass(AdjacencyInputFormat.class);
        settings.setVertexOutputFormatClass(IdWithValueTextOutputFormat.class);
        settings.set("hadoop.tmp.dir", folder.resolve("hadoop").toString());
        settings.set("giraph.logLevel", "error");
        settings.setInt("giraph.userPartitionCount", 4);
        settings.setNumComputeThreads(2);
        return settings;
    }

    /** The same program with edges and messages in the second heap. */
    static GiraphConfiguration inSecondHeap(GiraphConfiguration settings, Path folder) {
        settings.setOutEdgesClass(SecondHeapEdges.class);
        settings.set("giraph.messageStoreFactoryClass", SecondHeapMessageStoreFactory.class.getName());
        settings.addWorkerObserverClass(SecondHeapObserver.class);
        settings.set(WorkerSettings.DIRECTORY, folder.resolve("second-heap").toString());
        settings.set(WorkerSettings.CAPACITY, "256m");
        return settings;
    }

    /**
     * Runs a job.
     *
     * @return the values of vertices by their numbers; none if the job failed
     */
    static Map<Long, String> run(GiraphConfiguration settings, List<String> graph) throws Exception {
        return values(InternalVertexRunner.run(settings, graph.toArray(new String[0])));
    }

    /** The same, with checkpoints in a folder. */
    static Map<Long, String> run(GiraphConfiguration settings, List<String> graph, Path checkpoints, Path folder)
            throws Exception {
        return values(InternalVertexRunner.run(
                settings, graph.toArray(new String[0]), null, checkpoints.toString(), folder.toFile()));
    }

    private static Map<Long, String> values(Iterable<String> output) {
        Map<Long, String> values = new TreeMap<>();
        if (output != null) {
            for (String line : output) {
                String[] words = BLANKS.split(line, -1);
                values.put(Long.parseLong(words[0]), words[1]);
            }
        }
        return values;
    }
}
