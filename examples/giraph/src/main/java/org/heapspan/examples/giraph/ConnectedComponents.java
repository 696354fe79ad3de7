package org.heapspan.examples.giraph;

import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;

/** The least number of a vertex that a path leads to, whatever the direction of its edges. */
public final class ConnectedComponents extends BothDirections {
    @Override
    void update(Vertex<LongWritable, LongWritable, NullWritable> vertex, Iterable<LongWritable> messages) {
        long least = vertex.getValue().get();
        for (LongWritable message : messages) {
            least = Math.min(least, message.get());
        }
        if (least < vertex.getValue().get()) {
            vertex.setValue(new LongWritable(least));
            sendMessageToAllEdges(vertex, vertex.getValue());
        }
        vertex.voteToHalt();
    }
}
