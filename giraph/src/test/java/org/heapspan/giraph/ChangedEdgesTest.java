package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.edge.ByteArrayEdges;
import org.apache.giraph.edge.Edge;
import org.apache.giraph.edge.EdgeFactory;
import org.apache.giraph.edge.MutableEdge;
import org.apache.giraph.graph.Vertex;
import org.apache.giraph.utils.Trimmable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that change the edges of a vertex in several ways at a time, compared with Giraph's {@code ByteArrayEdges}. */
@Tag("once")
final class ChangedEdgesTest {
    @TempDir
    Path folder;

    private ImmutableClassesGiraphConfiguration<LongWritable, DoubleWritable, Text> worker;

    /** What one vertex does in a superstep. */
    private interface Program extends Consumer<Vertex<LongWritable, DoubleWritable, Text>> {}

    @BeforeEach
    void open() {
        worker = Workers.of(Workers.settings(folder));
        WorkerHeap.of(worker).begin(0);
    }

    @AfterEach
    void close() {
        WorkerHeap.close(worker);
    }

    private static Edge<LongWritable, Text> edge(long target, String value) {
        return EdgeFactory.create(new LongWritable(target), new Text(value));
    }

    /** A vertex with edges to 0, 1, 2 and so on, of different lengths. */
    private static Vertex<LongWritable, DoubleWritable, Text> vertex(
            ImmutableClassesGiraphConfiguration<LongWritable, DoubleWritable, Text> configuration, int edgeCount) {
        Vertex<LongWritable, DoubleWritable, Text> vertex = configuration.createVertex();
        vertex.initialize(
                new LongWritable(7),
                new DoubleWritable(),
                IntStream.range(0, edgeCount)
                        .mapToObj(target -> edge(target, "x".repeat(target % 5)))
                        .toList());
        return vertex;
    }

    /** As Giraph does after each computation of a vertex. */
    private static void compute(Vertex<LongWritable, DoubleWritable, Text> vertex, Program program) {
        program.accept(vertex);
        vertex.unwrapMutableEdges();
        ((Trimmable) vertex).trim();
    }

    private static List<String> edgesOf(Vertex<LongWritable, DoubleWritable, Text> vertex) {
        List<String> all = new ArrayList<>();
        vertex.getEdges().forEach(edge -> all.add(edge.getTargetVertexId() + " " + edge.getValue()));
        assertThat(vertex.getNumEdges()).isEqualTo(all.size());
        return all;
    }

    /** Runs a program on edges in a page, and once more on what it has changed. */
    private void assertAsGiraph(Program program) {
        GiraphConfiguration plain = Workers.settings(folder);
        plain.setOutEdgesClass(ByteArrayEdges.class);
        Vertex<LongWritable, DoubleWritable, Text> expected = vertex(Workers.of(plain), 8);
        Vertex<LongWritable, DoubleWritable, Text> found = vertex(worker, 8);
        ((Trimmable) found).trim();
        Program twice = vertex -> {
            program.accept(vertex);
            // Others have been read when the second one begins.
            edgesOf(vertex);
            vertex.unwrapMutableEdges();
            program.accept(vertex);
        };
        for (int superstep = 0; superstep < 2; superstep++) {
            compute(expected, twice);
            compute(found, twice);
            assertThat(edgesOf(found)).isEqualTo(edgesOf(expected));
        }
    }

    @Test
    void anIterationEndsWhenAnEdgeIsAddedOtherwise() {
        assertAsGiraph(vertex -> {
            int seen = 0;
            for (MutableEdge<LongWritable, Text> each : vertex.getMutableEdges()) {
                assertThat(seen++).as("edges of one iteration").isLessThan(1000);
                vertex.addEdge(edge(each.getTargetVertexId().get() + 100, "new"));
            }
        });
    }

    @Test
    void anIterationEndsWhenAnEdgeIsRemovedOtherwise() {
        assertAsGiraph(vertex -> {
            for (MutableEdge<LongWritable, Text> each : vertex.getMutableEdges()) {
                if (each.getTargetVertexId().get() >= 3) {
                    vertex.removeEdges(new LongWritable(1));
                }
            }
        });
    }

    @Test
    void anIterationEndsWhenAnEdgeIsReplacedByOneOfTheSameLength() {
        assertAsGiraph(vertex -> {
            for (MutableEdge<LongWritable, Text> each : vertex.getMutableEdges()) {
                if (each.getTargetVertexId().get() == 2) {
                    vertex.removeEdges(new LongWritable(1));
                    vertex.addEdge(edge(1, "y"));
                }
            }
        });
    }

    @Test
    void edgesOfAnIterationThatHasEndedCannotBeChanged() {
        Vertex<LongWritable, DoubleWritable, Text> vertex = vertex(worker, 3);
        Iterator<MutableEdge<LongWritable, Text>> edges =
                vertex.getMutableEdges().iterator();
        MutableEdge<LongWritable, Text> first = edges.next();
        vertex.removeEdges(new LongWritable(0));
        assertThatThrownBy(() -> first.setValue(new Text("lost")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("changed otherwise");
        assertThatThrownBy(edges::remove)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("changed otherwise");
        assertThat(edgesOf(vertex)).containsExactly("1 x", "2 xx");
    }

    @Test
    void theValueOfARemovedEdgeIsNotStored() {
        assertAsGiraph(vertex -> {
            Iterator<MutableEdge<LongWritable, Text>> edges =
                    vertex.getMutableEdges().iterator();
            while (edges.hasNext()) {
                MutableEdge<LongWritable, Text> each = edges.next();
                if (each.getTargetVertexId().get() % 3 == 0) {
                    edges.remove();
                    each.setValue(new Text("removed"));
                }
            }
        });
    }

    @Test
    void edgesThatAreBeingReadStayAsTheyWere() {
        assertAsGiraph(vertex -> {
            List<String> read = new ArrayList<>();
            for (Edge<LongWritable, Text> each : vertex.getEdges()) {
                read.add(each.getValue().toString());
                long target = each.getTargetVertexId().get();
                vertex.setEdgeValue(
                        new LongWritable(target + 1),
                        new Text(each.getValue().toString().replace('x', 'y') + (target % 2 == 0 ? "" : "z")));
                if (target % 4 == 0) {
                    Iterator<MutableEdge<LongWritable, Text>> edges =
                            vertex.getMutableEdges().iterator();
                    edges.next();
                    edges.remove();
                    edges.forEachRemaining(rest -> {});
                }
            }
            vertex.addEdge(edge(50, String.join(",", read)));
        });
    }

    @Test
    void edgesCanBeReadWhileOthersAreChanged() {
        Vertex<LongWritable, DoubleWritable, Text> vertex = vertex(worker, 8);
        ((Trimmable) vertex).trim();
        Iterator<MutableEdge<LongWritable, Text>> edges =
                vertex.getMutableEdges().iterator();
        for (int target = 0; target < 8; target++) {
            MutableEdge<LongWritable, Text> each = edges.next();
            assertThat(each.getTargetVertexId().get()).isEqualTo(target);
            if (target % 2 == 0) {
                edges.remove();
            } else {
                each.setValue(new Text("long".repeat(target)));
            }
            // Another edge gets a value of the same length.
            vertex.setEdgeValue(new LongWritable(7), new Text(target == 7 ? "last" : "ab"));
            assertThat(edgesOf(vertex)).hasSize(8 - (target / 2 + 1));
        }
        assertThat(edges.hasNext()).isFalse();
        assertThat(edgesOf(vertex)).containsExactly("1 long", "3 longlonglong", "5 longlonglonglonglong", "7 last");
    }

    private static void lengthen(MutableEdge<LongWritable, Text> edge) {
        edge.getValue().set(edge.getValue() + "z");
    }

    @Test
    void valuesThatAreChangedInPlaceAreStored() {
        assertAsGiraph(vertex -> vertex.getMutableEdges().forEach(ChangedEdgesTest::lengthen));
        assertAsGiraph(vertex -> {
            for (MutableEdge<LongWritable, Text> each : vertex.getMutableEdges()) {
                if (each.getTargetVertexId().get() % 2 == 0) {
                    each.getValue().set(each.getValue().toString().replace('x', 'y'));
                }
            }
        });
    }

    @Test
    void valuesThatAreChangedInPlaceAreStoredWithoutAskingForTheEnd() {
        assertAsGiraph(vertex -> {
            Iterator<MutableEdge<LongWritable, Text>> edges =
                    vertex.getMutableEdges().iterator();
            for (int left = vertex.getNumEdges(); left > 0; left--) {
                lengthen(edges.next());
            }
        });
    }

    /** Giraph's own class stores what is changed before an iteration ends early, whatever the program does next. */
    @Test
    void aValueThatIsChangedInPlaceBeforeTheIterationEndsEarlyIsStored() {
        List<Program> then = List.of(
                vertex -> {},
                vertex -> vertex.addEdge(edge(50, "added")),
                vertex -> vertex.removeEdges(new LongWritable(1)),
                vertex -> vertex.removeEdges(new LongWritable(3)),
                vertex -> vertex.addEdge(edge(51, String.join(",", edgesOf(vertex)))),
                vertex -> vertex.setEdgeValue(new LongWritable(3), new Text("set")),
                vertex -> lengthen(vertex.getMutableEdges().iterator().next()));
        for (Program each : then) {
            assertAsGiraph(vertex -> {
                for (MutableEdge<LongWritable, Text> edge : vertex.getMutableEdges()) {
                    if (edge.getTargetVertexId().get() == 3) {
                        lengthen(edge);
                        break;
                    }
                }
                each.accept(vertex);
                // Until then Giraph counts no edges that were added or removed.
                vertex.unwrapMutableEdges();
            });
        }
    }

    @Test
    void aRemovedEdgeWhoseValueIsChangedInPlaceIsNotStored() {
        assertAsGiraph(vertex -> {
            Iterator<MutableEdge<LongWritable, Text>> edges =
                    vertex.getMutableEdges().iterator();
            while (edges.hasNext()) {
                MutableEdge<LongWritable, Text> each = edges.next();
                lengthen(each);
                if (each.getTargetVertexId().get() % 3 == 0) {
                    edges.remove();
                    lengthen(each);
                }
            }
        });
    }

    /** An edge refers to the value that was set last, until its iteration goes on. */
    @Test
    void aValueThatIsUsedAgainChangesNoOtherEdge() {
        assertAsGiraph(vertex -> {
            Text value = new Text();
            for (int target = 0; target < 8; target++) {
                value.set("value " + target);
                vertex.setEdgeValue(new LongWritable(target), value);
            }
            value.set("none");
        });
        assertAsGiraph(vertex -> {
            Text value = new Text();
            Iterator<MutableEdge<LongWritable, Text>> edges =
                    vertex.getMutableEdges().iterator();
            while (edges.hasNext()) {
                value.set("of none");
                MutableEdge<LongWritable, Text> each = edges.next();
                value.set("value " + each.getTargetVertexId());
                each.setValue(value);
            }
        });
    }

    @Test
    void valuesCanBeChangedInPlaceWhileEdgesAreReadAndChanged() {
        Vertex<LongWritable, DoubleWritable, Text> vertex = vertex(worker, 4);
        ((Trimmable) vertex).trim();
        int target = 0;
        for (MutableEdge<LongWritable, Text> each : vertex.getMutableEdges()) {
            lengthen(each);
            assertThat(edgesOf(vertex).get(target)).endsWith("z");
            lengthen(each);
            assertThat(edgesOf(vertex).get(target)).endsWith("zz");
            target++;
        }
        // What is set last counts, and both iterations go on.
        for (MutableEdge<LongWritable, Text> each : vertex.getMutableEdges()) {
            each.getValue().set(each.getValue().toString().replace('z', 'a'));
            vertex.setEdgeValue(
                    each.getTargetVertexId(),
                    new Text(each.getValue().toString().replace('a', 'b')));
        }
        assertThat(edgesOf(vertex)).containsExactly("0 bb", "1 xbb", "2 xxbb", "3 xxxbb");
    }

    @Test
    void edgesThatAreOnlyReadStayInTheirPage() {
        Vertex<LongWritable, DoubleWritable, Text> vertex = vertex(worker, 8);
        ((Trimmable) vertex).trim();
        WorkerHeap heap = WorkerHeap.of(worker);
        heap.begin(1);
        long written = heap.statistics().writtenBytes();
        assertThat(written).isPositive();
        compute(
                vertex,
                same -> same.getMutableEdges()
                        .forEach(edge -> assertThat(edge.getValue()).isNotNull()));
        heap.begin(2);
        assertThat(heap.statistics().writtenBytes()).isEqualTo(written);
        compute(vertex, same -> same.getMutableEdges().forEach(ChangedEdgesTest::lengthen));
        heap.begin(3);
        assertThat(heap.statistics().writtenBytes()).isGreaterThan(written);
    }

    /** Each of them would be copied for each change. */
    @Test
    void manyChangesOfAVertexDoNotCopyItsEdgesForEachOfThem() {
        Vertex<LongWritable, DoubleWritable, Text> vertex = vertex(worker, 20_000);
        ((Trimmable) vertex).trim();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        Iterator<MutableEdge<LongWritable, Text>> edges =
                vertex.getMutableEdges().iterator();
        while (edges.hasNext()) {
            MutableEdge<LongWritable, Text> each = edges.next();
            if (each.getTargetVertexId().get() % 2 == 0) {
                edges.remove();
            } else {
                each.setValue(new Text("as long as this"));
            }
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(edgesOf(vertex)).hasSize(10_000).allMatch(edge -> edge.endsWith(" as long as this"));
        assertThat(allocated).isLessThan(50 << 20);
    }
}
