package org.heapspan.examples.giraph;

import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/** The number of edges on the shortest path from a source; {@link Long#MAX_VALUE} if there is none. */
public final class BreadthFirstSearch extends BasicComputation<LongWritable, LongWritable, NullWritable, LongWritable> {
    /** The setting of the source. */
    public static final String SOURCE = "bfs.source";

    @Override
    public void compute(Vertex<LongWritable, LongWritable, NullWritable> vertex, Iterable<LongWritable> messages) {
        boolean reached = getSuperstep() == 0
                ? vertex.getId().get() == getConf().getLong(SOURCE, 1)
                : vertex.getValue().get() == Long.MAX_VALUE;
        if (getSuperstep() == 0) {
            vertex.setValue(new LongWritable(Long.MAX_VALUE));
        }
        if (reached) {
            vertex.setValue(new LongWritable(getSuperstep()));
            sendMessageToAllEdges(vertex, vertex.getValue());
        }
        vertex.voteToHalt();
    }
}
