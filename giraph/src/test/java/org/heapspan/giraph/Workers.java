package org.heapspan.giraph;

import java.nio.file.Path;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;

/** Configurations of workers, without a job. */
final class Workers {
    private Workers() {}

    /** Its edges have texts, so a change of one can change its length. */
    public static final class Texts extends BasicComputation<LongWritable, DoubleWritable, Text, Text> {
        @Override
        public void compute(Vertex<LongWritable, DoubleWritable, Text> vertex, Iterable<Text> messages) {
            vertex.voteToHalt();
        }
    }

    static GiraphConfiguration settings(Path directory) {
        GiraphConfiguration settings = new GiraphConfiguration();
        settings.setComputationClass(Texts.class);
        settings.setOutEdgesClass(SecondHeapEdges.class);
        settings.set("giraph.messageStoreFactoryClass", SecondHeapMessageStoreFactory.class.getName());
        settings.addWorkerObserverClass(SecondHeapObserver.class);
        settings.set(WorkerSettings.DIRECTORY, directory.toString());
        settings.set(WorkerSettings.CAPACITY, "256m");
        return settings;
    }

    static ImmutableClassesGiraphConfiguration<LongWritable, DoubleWritable, Text> of(GiraphConfiguration settings) {
        return new ImmutableClassesGiraphConfiguration<>(settings);
    }
}
