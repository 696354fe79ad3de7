package org.heapspan.examples.giraph;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.giraph.edge.Edge;
import org.apache.giraph.edge.EdgeFactory;
import org.apache.giraph.io.formats.TextVertexInputFormat;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Reads a vertex from each line: its number, then those of its neighbors. If edges have a double as value, a weight follows each neighbor.
 *
 * <p>{@code 1 2 0.5 3 5.0}
 */
public final class AdjacencyInputFormat extends TextVertexInputFormat<LongWritable, Writable, Writable> {
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    @Override
    public TextVertexReader createVertexReader(InputSplit split, TaskAttemptContext context) {
        return new Reader();
    }

    private final class Reader extends TextVertexReaderFromEachLineProcessed<String[]> {
        @Override
        protected String[] preprocessLine(Text line) {
            return BLANKS.split(line.toString().strip());
        }

        @Override
        protected LongWritable getId(String[] words) {
            return new LongWritable(Long.parseLong(words[0]));
        }

        @Override
        protected Writable getValue(String[] words) {
            return getConf().createVertexValue();
        }

        @Override
        protected Iterable<Edge<LongWritable, Writable>> getEdges(String[] words) {
            boolean weighted = getConf().getEdgeValueClass() == (Class<?>) DoubleWritable.class;
            List<Edge<LongWritable, Writable>> edges = new ArrayList<>();
            for (int i = 1; i < words.length; i += weighted ? 2 : 1) {
                Writable value = weighted
                        ? new DoubleWritable(Double.parseDouble(words[i + 1]))
                        : getConf().createEdgeValue();
                edges.add(EdgeFactory.create(new LongWritable(Long.parseLong(words[i])), value));
            }
            return edges;
        }
    }
}
