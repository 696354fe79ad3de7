package org.heapspan.examples.giraph;

import org.apache.giraph.aggregators.DoubleSumAggregator;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.giraph.master.DefaultMasterCompute;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/** Ranks of vertices. The rank of vertices without edges is divided among all. */
public final class PageRank extends BasicComputation<LongWritable, DoubleWritable, NullWritable, DoubleWritable> {
    /** The setting of how often ranks are computed. */
    public static final String ITERATIONS = "pagerank.iterations";

    private static final double DAMPING = 0.85;

    /** The rank of all vertices without edges. */
    private static final String DANGLING = "dangling";

    /** Has to be set, too. */
    public static final class Master extends DefaultMasterCompute {
        @Override
        public void initialize() throws InstantiationException, IllegalAccessException {
            registerAggregator(DANGLING, DoubleSumAggregator.class);
        }
    }

    @Override
    public void compute(Vertex<LongWritable, DoubleWritable, NullWritable> vertex, Iterable<DoubleWritable> messages) {
        double rank = getSuperstep() == 0 ? 1.0 / getTotalNumVertices() : rank(messages);
        vertex.setValue(new DoubleWritable(rank));
        if (getSuperstep() == getConf().getInt(ITERATIONS, 10)) {
            vertex.voteToHalt();
        } else if (vertex.getNumEdges() == 0) {
            aggregate(DANGLING, new DoubleWritable(rank));
        } else {
            sendMessageToAllEdges(vertex, new DoubleWritable(rank / vertex.getNumEdges()));
        }
    }

    private double rank(Iterable<DoubleWritable> messages) {
        double sum = 0;
        for (DoubleWritable message : messages) {
            sum += message.get();
        }
        double dangling = this.<DoubleWritable>getAggregatedValue(DANGLING).get();
        return (1 - DAMPING + DAMPING * dangling) / getTotalNumVertices() + DAMPING * sum;
    }
}
