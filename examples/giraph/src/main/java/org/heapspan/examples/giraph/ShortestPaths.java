package org.heapspan.examples.giraph;

import org.apache.giraph.edge.Edge;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;

/** The length of the shortest path from a source; infinity if there is none. */
public final class ShortestPaths
        extends BasicComputation<LongWritable, DoubleWritable, DoubleWritable, DoubleWritable> {
    /** The setting of the source. */
    public static final String SOURCE = "sssp.source";

    @Override
    public void compute(
            Vertex<LongWritable, DoubleWritable, DoubleWritable> vertex, Iterable<DoubleWritable> messages) {
        double before = Double.POSITIVE_INFINITY;
        double length = before;
        if (getSuperstep() > 0) {
            before = vertex.getValue().get();
            length = before;
        } else if (vertex.getId().get() == getConf().getLong(SOURCE, 1)) {
            length = 0;
        }
        for (DoubleWritable message : messages) {
            length = Math.min(length, message.get());
        }
        vertex.setValue(new DoubleWritable(length));
        if (length < before) {
            for (Edge<LongWritable, DoubleWritable> edge : vertex.getEdges()) {
                sendMessage(
                        edge.getTargetVertexId(),
                        new DoubleWritable(length + edge.getValue().get()));
            }
        }
        vertex.voteToHalt();
    }
}
