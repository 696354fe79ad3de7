package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.heapspan.h2.Label;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class EdgePageTest {
    private static final Label LABEL = Label.of(3);

    @TempDir
    Path folder;

    private ImmutableClassesGiraphConfiguration<LongWritable, DoubleWritable, Text> worker;
    private WorkerHeap heap;

    @BeforeEach
    void open() {
        worker = Workers.of(Workers.settings(folder));
        heap = WorkerHeap.of(worker);
    }

    @AfterEach
    void close() {
        WorkerHeap.close(worker);
    }

    /** As a writer does that found no memory for the next page. */
    @Test
    void aPageThatIsSealedAgainKeepsItsEdges() {
        EdgePage page = new EdgePage(8, false);
        page.add(new byte[] {1, 2, 3}, 0, 3);
        page.seal(heap, LABEL);
        page.seal(heap, LABEL);
        assertThat(page.bytes()).containsExactly(1, 2, 3);
        heap.moveOnHint(LABEL);
        assertThat(page.bytes()).containsExactly(1, 2, 3);
        assertThat(heap.statistics().movedRoots()).isEqualTo(1);
        page.release(3);
        assertThat(heap.statistics().liveBytes()).isZero();
    }
}
