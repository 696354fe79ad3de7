package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in the second heap takes next to nothing of the Java heap. */
@Tag("once")
final class SecondHeapMemoryTest {
    private static final int ROOTS = 200_000;

    /** Of many small roots, each may cost this much (design: 64 bytes); it is less than a byte, and the rest is for what the JVM itself does meanwhile. */
    private static final int MOST_BYTES_PER_ROOT = 16;

    @TempDir
    Path directory;

    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    @Test
    void smallRootsCostLittle() {
        try (SecondHeap heap =
                SecondHeap.open(directory, SecondHeapOptions.capacity(256 << 20).withoutThresholds())) {
            // What is used again: buffers, codecs.
            heap.append(Label.of(1), Sample.list(0, 5000)).close();
            long before = usedBytes();
            List<Sample> roots = new ArrayList<>(Sample.list(0, ROOTS));
            H2Sequence<Sample> handle = heap.tagRoots(roots, Label.of(2));
            roots.clear();
            roots = null;
            heap.move(Label.of(2));

            long retainedBytes = usedBytes() - before;

            assertThat(handle.isMoved()).isTrue();
            assertThat(retainedBytes).isLessThan((long) MOST_BYTES_PER_ROOT * ROOTS);
            assertThat(100 * retainedBytes / handle.imageBytes()).isLessThan(5);
            assertThat(handle.element(ROOTS - 1)).isEqualTo(new Sample(ROOTS - 1));
        }
    }
}
