package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.edge.Edge;
import org.apache.giraph.edge.EdgeFactory;
import org.apache.giraph.edge.MutableEdge;
import org.apache.giraph.graph.BasicComputation;
import org.apache.giraph.graph.Vertex;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that changes its graph in all ways of Giraph, with several settings of Giraph, compared with Giraph alone. */
@Tag("soak")
final class ChangingGraphTest {
    private static final long SUPERSTEPS = 8;

    @TempDir
    Path folder;

    /** Adds and removes vertices and edges, and sends messages to vertices that do not exist. */
    public static final class Churn extends BasicComputation<LongWritable, LongWritable, Text, Text> {
        @Override
        public void compute(Vertex<LongWritable, LongWritable, Text> vertex, Iterable<Text> messages)
                throws IOException {
            long id = vertex.getId().get();
            long step = getSuperstep();
            // Of sums only: messages and edges that others add come in any order.
            long sum = 0;
            for (Text message : messages) {
                sum += message.toString().hashCode();
            }
            for (Edge<LongWritable, Text> edge : vertex.getEdges()) {
                sum += 31 * edge.getTargetVertexId().get()
                        + edge.getValue().toString().hashCode();
            }
            vertex.setValue(new LongWritable(31 * vertex.getValue().get() + sum));
            if (step >= SUPERSTEPS) {
                vertex.voteToHalt();
                return;
            }
            change(vertex, id, step);
            request(id, step);
            Text message = new Text(Long.toString(vertex.getValue().get()).repeat(1 + (int) Math.floorMod(id, 5L)));
            if (id % 3 == 0) {
                sendMessageToAllEdges(vertex, message);
            } else {
                sendMessage(new LongWritable(id + 1), message);
                sendMessage(new LongWritable(1_000_000 + id % 50), message);
            }
            if ((id + step) % 5 == 0) {
                vertex.voteToHalt();
            }
        }

        private void change(Vertex<LongWritable, LongWritable, Text> vertex, long id, long step) {
            if ((id + step) % 7 == 0) {
                Iterator<MutableEdge<LongWritable, Text>> edges =
                        vertex.getMutableEdges().iterator();
                while (edges.hasNext()) {
                    MutableEdge<LongWritable, Text> edge = edges.next();
                    if (edge.getTargetVertexId().get() % 4 == step % 4) {
                        edges.remove();
                    } else {
                        edge.setValue(new Text("v".repeat((int) step)));
                    }
                }
            }
            if ((id + step) % 11 == 0) {
                List<Edge<LongWritable, Text>> edges = new ArrayList<>();
                vertex.getEdges()
                        .forEach(edge -> edges.add(EdgeFactory.create(
                                new LongWritable(edge.getTargetVertexId().get() + 1), new Text("set"))));
                vertex.setEdges(edges);
            }
            if ((id + step) % 6 == 0) {
                vertex.addEdge(EdgeFactory.create(new LongWritable(id + step), new Text("added")));
                vertex.removeEdges(new LongWritable(id + step - 1));
            }
        }

        private void request(long id, long step) throws IOException {
            if ((id + step) % 13 == 0) {
                addEdgeRequest(
                        new LongWritable(id + 2), EdgeFactory.create(new LongWritable(id), new Text("requested")));
            }
            if ((id + step) % 17 == 0) {
                removeEdgesRequest(new LongWritable(id + 3), new LongWritable(id));
            }
            if ((id + step) % 19 == 0) {
                removeVertexRequest(new LongWritable(id + 5));
            }
            if ((id + step) % 23 == 0) {
                addVertexRequest(new LongWritable(2_000_000 + id), new LongWritable(step));
            }
        }
    }

    /** Each is a list of settings. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "giraph.messageEncodeAndStoreType=EXTRACT_BYTEARRAY_PER_PARTITION",
                "giraph.messageEncodeAndStoreType=POINTER_LIST_PER_VERTEX",
                "giraph.async.message.store.threads=3",
                "giraph.useUnsafeSerialization=false,giraph.useBigDataIOForMessages=true",
                "giraph.useMessageSizeEncoding=true,giraph.heapspan.transferHint=false",
                "giraph.useOutOfCoreGraph=true,giraph.maxPartitionsInMemory=2",
                "giraph.numInputThreads=3,giraph.numComputeThreads=4,giraph.heapspan.encryptionKeyBits=128"
            })
    void isThatOfGiraphAlone(String pairs) throws Exception {
        GiraphConfiguration plain = Jobs.plain(Churn.class, folder);
        Map<Long, String> expected = Jobs.run(plain, GiraphJobsTest.graph());
        assertThat(expected).hasSizeGreaterThan(3000);

        GiraphConfiguration settings = Jobs.inSecondHeap(Jobs.plain(Churn.class, folder), folder);
        for (String pair : pairs.split(",", -1)) {
            if (!pair.isEmpty()) {
                settings.set(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
            }
        }
        assertThat(Jobs.run(settings, GiraphJobsTest.graph())).isEqualTo(expected);
        assertThat(folder.resolve("second-heap")).isEmptyDirectory();
    }
}
