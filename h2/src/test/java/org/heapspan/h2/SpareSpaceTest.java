package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.testing.Eventually;
import org.heapspan.vm.AccessMeans;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Free regions keep some of their space to be used again, and give the rest back, although others of their segment are in use. */
@Tag("once")
@Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SpareSpaceTest {
    private static final int REGION_BYTES = 1 << 20;
    private static final int MOST_SPARE_BYTES = 8 * REGION_BYTES;
    private static final SecondHeapOptions OPTIONS = SecondHeapOptions.capacity(32 * REGION_BYTES)
            .withRegionBytes(REGION_BYTES)
            .withoutThresholds();

    @TempDir
    Path directory;

    private final FailingStorage storage = new FailingStorage();

    /** So that the collector closes none of them. */
    private final List<H2Handle<?>> handles = new ArrayList<>();

    /** A region and a bit. */
    private static List<Sample> samples(int label) {
        return Sample.list(1000 * label, 8_000);
    }

    /** Sequences in the first regions, of which all but the first are closed. */
    private H2Sequence<Sample> firstOfMany(SecondHeap heap) {
        List<H2Sequence<Sample>> all = new ArrayList<>();
        while (heap.statistics().regionsInUse() < 28) {
            all.add(heap.append(Label.of(all.size()), samples(all.size())));
        }
        handles.addAll(all);
        all.subList(1, all.size()).forEach(H2Handle::close);
        return all.get(0);
    }

    private static void awaitSpare(SecondHeap heap) throws InterruptedException {
        while (heap.statistics().spareBytes() > MOST_SPARE_BYTES) {
            Thread.sleep(1);
        }
    }

    private void fillAgain(SecondHeap heap) {
        List<H2Sequence<Sample>> all = new ArrayList<>();
        while (heap.statistics().regionsInUse() < 28) {
            all.add(heap.append(Label.of(100 + all.size()), samples(all.size())));
        }
        handles.addAll(all);
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).get()).isEqualTo(samples(i));
        }
    }

    @Test
    void lastFreeRegionsGiveTheirSpaceBack() throws Exception {
        try (SecondHeap heap = SecondHeap.open(directory, OPTIONS.withStorage(storage))) {
            H2Sequence<Sample> kept = firstOfMany(heap);
            int inUse = heap.statistics().regionsInUse();
            awaitSpare(heap);
            assertThat(heap.statistics().spareBytes()).isEqualTo(MOST_SPARE_BYTES);
            assertThat(kept.get()).isEqualTo(samples(0));
            fillAgain(heap);
            assertThat(kept.get()).isEqualTo(samples(0));
            assertThat(storage.holes)
                    .hasSizeGreaterThanOrEqualTo(16)
                    .doesNotHaveDuplicates()
                    .allMatch(hole -> hole.length() == REGION_BYTES && hole.offset() % REGION_BYTES == 0)
                    .allMatch(hole -> hole.offset() >= (long) inUse * REGION_BYTES + MOST_SPARE_BYTES);
            assertThat(heap.statistics().spareBytes()).isZero();
        }
    }

    @Test
    void fileSystemWithoutHolesIsAskedOnce() throws Exception {
        storage.knowsHoles = false;
        try (SecondHeap heap = SecondHeap.open(directory, OPTIONS.withStorage(storage))) {
            H2Sequence<Sample> kept = firstOfMany(heap);
            fillAgain(heap);
            assertThat(kept.get()).isEqualTo(samples(0));
            assertThat(storage.holes).hasSize(1);
        }
    }

    @Test
    void spaceThatCannotBeGivenBackIsUsedAgain() throws Exception {
        storage.holeFailure = new IOException("broken");
        try (SecondHeap heap = SecondHeap.open(directory, OPTIONS.withStorage(storage))) {
            H2Sequence<Sample> kept = firstOfMany(heap);
            awaitSpare(heap);
            fillAgain(heap);
            assertThat(kept.get()).isEqualTo(samples(0));
            assertThat(storage.holes).isNotEmpty();
        }
    }

    @Test
    void spaceIsGivenBackAfterAnError() throws Exception {
        storage.holeError.set(new OutOfMemoryError("once"));
        try (SecondHeap heap = SecondHeap.open(directory, OPTIONS.withStorage(storage))) {
            H2Sequence<Sample> kept = firstOfMany(heap);
            while (heap.statistics().spareBytes() > MOST_SPARE_BYTES) {
                heap.append(Label.of(99), samples(99)).close();
            }
            assertThat(storage.holeError).hasNullValue();
            assertThat(kept.get()).isEqualTo(samples(0));
        }
    }

    @Test
    void emptySegmentIsGivenBackAsAWhole() throws Exception {
        try (SecondHeap heap = SecondHeap.open(directory, OPTIONS.withStorage(storage))) {
            firstOfMany(heap).close();
            fillAgain(heap);
            assertThat(storage.discards.get()).isEqualTo(1);
        }
    }

    @Test
    void filesTakeLessSpace() throws Exception {
        assumeThat(VirtualMachine.current().means()).isEqualTo(AccessMeans.NATIVE_LIBRARY);
        try (SecondHeap heap = SecondHeap.open(directory, OPTIONS)) {
            H2Sequence<Sample> kept = firstOfMany(heap);
            awaitSpare(heap);
            // The task that gives back is done when one behind it is.
            H2Sequence<Sample> behind = heap.append(Label.of(99), samples(99));
            long mostBytes = (long) heap.statistics().regionsInUse() * REGION_BYTES
                    + heap.statistics().spareBytes();
            assertThat(allocatedBytes()).isBetween(kept.imageBytes(), mostBytes);
            assertThat(mostBytes).isLessThan(20L * REGION_BYTES);
            assertThat(kept.get()).isEqualTo(samples(0));
            assertThat(behind.get()).isEqualTo(samples(99));
        }
    }

    /** What the files of this process take of the disk; they have no names. */
    private long allocatedBytes() throws Exception {
        long blocks = 0;
        for (Path file : OpenFiles.of(directory)) {
            String path = "/proc/" + ProcessHandle.current().pid() + "/fd/" + file.getFileName();
            Process stat = new ProcessBuilder("stat", "-L", "-c", "%b", path).start();
            blocks += Long.parseLong(new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim());
        }
        return 512 * blocks;
    }
}
