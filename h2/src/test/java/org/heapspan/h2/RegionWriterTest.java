package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a write that fails had taken is free afterwards. */
@Tag("once")
final class RegionWriterTest {
    private static final SecondHeapOptions OPTIONS =
            SecondHeapOptions.capacity(4 << 20).withRegionBytes(1 << 20).withoutThresholds();

    @TempDir
    Path directory;

    private final StorageThread thread = new StorageThread(OPTIONS);
    private final Regions regions = new Regions(OPTIONS, new FailingStorage(), thread);
    private SecondHeap heap;

    @BeforeEach
    void open() {
        thread.start();
        heap = SecondHeap.open(directory, OPTIONS);
    }

    @AfterEach
    void close() {
        heap.close();
        thread.close();
    }

    private H2Sequence<Object> handle(List<Object> elements) {
        return heap.tagRoots(elements, Label.of(1));
    }

    /** Its objects are abandoned while they are in the buffer, and have a place from then on. */
    @Test
    void regionOfAbandonedObjectsIsFreeIfTheirWriteIsRefused() {
        LabelSpace space = handle(List.of("root")).state().space();
        RegionWriter writer = new RegionWriter(regions, thread, space);
        Residence abandoned = new Residence(regions, space, heap.codec());
        writer.add(ByteBuffer.allocate(1000), 1, abandoned);
        abandoned.abandon();
        thread.close();
        assertThatThrownBy(writer::flush).hasMessageContaining("closed");
        assertThat(regions.takenCount()).isZero();
    }

    @Test
    void bufferOfAnUpdateThatIsRefusedIsUsedAgain() {
        List<Object> elements = new ArrayList<>(Sample.list(0, 2_000));
        elements.add(Thread.currentThread());
        ByteBuffer buffer = thread.takeBuffer();
        thread.giveBack(buffer);
        RootWriter roots = new RootWriter(regions, thread);
        assertThat(roots.storeOrNull(handle(elements), elements.toArray())).isNull();
        assertThat(buffer.position()).isPositive();
        assertThat(thread.takeBuffer()).isSameAs(buffer);
        assertThat(regions.takenCount()).isZero();
    }
}
