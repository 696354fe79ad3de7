package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What readers will need is asked for before they need it, once, and only while somebody reads. */
@Tag("once")
@Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReadAheadTest {
    private static final Label LABEL = Label.of(3);
    private static final int GROUP_BYTES = 64 << 10;
    private static final List<Sample> ALL = Sample.list(0, 60_000);

    @TempDir
    Path directory;

    private final FailingStorage storage = new FailingStorage();
    private SecondHeap heap;

    @BeforeEach
    void open() {
        storage.onDevice = true;
        heap = SecondHeap.open(
                directory,
                SecondHeapOptions.capacity(32 << 20)
                        .withRegionBytes(1 << 20)
                        .withGroupBytes(GROUP_BYTES)
                        .withoutThresholds()
                        .withStorage(storage));
    }

    @AfterEach
    void close() {
        heap.close();
    }

    /** Whoever loads uses the bytes. */
    private void awaitLoads(H2Handle<?> handle) throws InterruptedException {
        handle.close();
        while (heap.statistics().regionsInUse() > 0) {
            Thread.sleep(1);
        }
    }

    private long loadedBytes() {
        return storage.loads.stream().mapToLong(FailingStorage.Range::length).sum();
    }

    @Test
    void allBehindTheFirstGroupIsAskedForOnce() throws Exception {
        H2Sequence<Sample> sequence = heap.append(LABEL, ALL);
        long imageBytes = sequence.imageBytes();
        assertThat(imageBytes).isGreaterThan(3L * ReadAhead.WINDOW_BYTES);

        assertThat(sequence.elements().iterator()).toIterable().isEqualTo(ALL);

        awaitLoads(sequence);
        assertThat(loadedBytes()).isBetween(imageBytes - 2 * GROUP_BYTES, imageBytes - GROUP_BYTES / 2);
        assertThat(storage.loads).doesNotHaveDuplicates();
        assertThat(storage.loads.size()).as("neighbours together").isLessThan(40);
    }

    @Test
    void whoEndsEarlyHasAskedForLittle() throws Exception {
        H2Sequence<Sample> sequence = heap.append(LABEL, ALL);
        try (H2Iterator<Sample> iterator = sequence.iterator()) {
            assertThat(iterator.next()).isEqualTo(ALL.get(0));
        }
        awaitLoads(sequence);
        assertThat(loadedBytes())
                .isBetween((long) ReadAhead.FIRST_WINDOW_BYTES, ReadAhead.FIRST_WINDOW_BYTES + 2L * GROUP_BYTES);
    }

    @Test
    void whatIsInMemoryIsNotAskedFor() throws Exception {
        storage.onDevice = false;
        H2Sequence<Sample> sequence = heap.append(LABEL, ALL);
        assertThat(sequence.elements().iterator()).toIterable().isEqualTo(ALL);
        awaitLoads(sequence);
        assertThat(storage.loads).isEmpty();
    }

    @Test
    void longRootIsAskedForAsAWhole() throws Exception {
        byte[] root = new byte[5 << 20];
        root[4 << 20] = 1;
        H2Handle<byte[]> handle = heap.tagRoot(root, LABEL);
        heap.move(LABEL);
        long imageBytes = handle.imageBytes();
        assertThat(handle.get()).isEqualTo(root);
        awaitLoads(handle);
        assertThat(storage.loads).hasSize(1);
        assertThat(loadedBytes()).isEqualTo(imageBytes);
    }

    @Test
    void rootOfSomePagesIsLoadedWithNothingAroundIt() throws Exception {
        H2Handle<byte[]> before = heap.tagRoot(new byte[GROUP_BYTES], LABEL);
        H2Handle<byte[]> handle = heap.tagRoot(new byte[GROUP_BYTES], LABEL);
        H2Handle<byte[]> small = heap.tagRoot(new byte[ReadAhead.LEAST_WHOLE_BYTES / 2], LABEL);
        heap.move(LABEL);
        assertThat(handle.get()).hasSize(GROUP_BYTES);
        assertThat(small.get()).isNotEmpty();
        assertThat(storage.loads)
                .containsExactly(new FailingStorage.Range(before.imageBytes(), Math.toIntExact(handle.imageBytes())));
        storage.onDevice = false;
        assertThat(before.get()).hasSize(GROUP_BYTES);
        assertThat(storage.loads).hasSize(1);
    }

    @Test
    void rootThatCannotBeLoadedIsReportedAndNothingElseIsLost() {
        H2Handle<byte[]> handle = heap.tagRoot(new byte[GROUP_BYTES], LABEL);
        heap.move(LABEL);
        storage.loadFailure = new InternalError("a fault occurred in an unsafe memory access operation");
        assertThatThrownBy(handle::get)
                .isInstanceOf(SecondHeapException.class)
                .hasMessageContaining(
                        "of the second heap could not be read (a fault occurred in an unsafe memory access");
        storage.loadFailure = null;
        assertThat(handle.get()).hasSize(GROUP_BYTES);
    }

    @Test
    void whatCannotBeLoadedIsLeftToTheReader() throws Exception {
        storage.loadFailure = new InternalError("a fault occurred in an unsafe memory access operation");
        H2Sequence<Sample> sequence = heap.append(LABEL, ALL);
        assertThat(sequence.elements().iterator()).toIterable().isEqualTo(ALL);
        awaitLoads(sequence);
        assertThat(storage.loads).isNotEmpty();
    }

    @Test
    void closedHeapStillServesWhoeverReads() {
        H2Sequence<Sample> sequence = heap.append(LABEL, ALL);
        H2Iterator<Sample> iterator = sequence.iterator();
        assertThat(iterator.next()).isEqualTo(ALL.get(0));
        heap.close();
        assertThat(iterator).toIterable().isEqualTo(ALL.subList(1, ALL.size()));
    }
}
