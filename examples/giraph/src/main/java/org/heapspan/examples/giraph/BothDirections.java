package org.heapspan.examples.giraph;

import org.apache.giraph.edge.EdgeFactory;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/**
 * An algorithm that passes numbers along edges in both directions. In a directed graph, the first two supersteps add the opposite of each edge.
 */
abstract class BothDirections extends BasicComputation<LongWritable, LongWritable, NullWritable, LongWritable> {
    /** The setting of whether the opposite of an edge is missing in the input. */
    public static final String DIRECTED = "graph.directed";

    /** The superstep that gets the first numbers. */
    static final long FIRST = 2;

    @Override
    public final void compute(
            Vertex<LongWritable, LongWritable, NullWritable> vertex, Iterable<LongWritable> messages) {
        if (getSuperstep() >= FIRST) {
            update(vertex, messages);
            return;
        }
        boolean directed = getConf().getBoolean(DIRECTED, true);
        if (getSuperstep() == 0) {
            vertex.setValue(new LongWritable(vertex.getId().get()));
            if (directed) {
                sendMessageToAllEdges(vertex, vertex.getId());
            }
            return;
        }
        for (LongWritable source : messages) {
            vertex.addEdge(EdgeFactory.create(new LongWritable(source.get())));
        }
        sendMessageToAllEdges(vertex, vertex.getValue());
    }

    /** Computes the value of a vertex from the numbers of its neighbors. */
    abstract void update(Vertex<LongWritable, LongWritable, NullWritable> vertex, Iterable<LongWritable> messages);
}
