package org.heapspan.examples.giraph;

import java.util.HashMap;
import java.util.Map;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/** Communities: a vertex takes the label that most of its neighbors have, of several the least one. */
public final class LabelPropagation extends BothDirections {
    /** The setting of how often labels are passed on. */
    public static final String ITERATIONS = "cdlp.iterations";

    @Override
    void update(Vertex<LongWritable, LongWritable, NullWritable> vertex, Iterable<LongWritable> messages) {
        vertex.setValue(
                new LongWritable(mostFrequent(messages, vertex.getValue().get())));
        if (getSuperstep() - FIRST + 1 < getConf().getInt(ITERATIONS, 10)) {
            sendMessageToAllEdges(vertex, vertex.getValue());
        } else {
            vertex.voteToHalt();
        }
    }

    private static long mostFrequent(Iterable<LongWritable> labels, long labelOfNone) {
        Map<Long, Integer> counts = new HashMap<>();
        for (LongWritable label : labels) {
            counts.merge(label.get(), 1, Integer::sum);
        }
        long best = labelOfNone;
        int most = 0;
        for (Map.Entry<Long, Integer> each : counts.entrySet()) {
            int count = each.getValue();
            if (count > most || (count == most && each.getKey() < best)) {
                best = each.getKey();
                most = count;
            }
        }
        return best;
    }
}
