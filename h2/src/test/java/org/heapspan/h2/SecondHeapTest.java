package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One heap, one thread: what is tagged, moved, appended and updated comes back, and what is dropped makes room. */
final class SecondHeapTest {
    private static final Label LABEL = Label.of(7);
    private static final Label OTHER = Label.of(8);

    @TempDir
    Path directory;

    private SecondHeap heap;

    @BeforeEach
    void open() {
        heap = SecondHeap.open(
                directory,
                SecondHeapOptions.capacity(32 << 20).withRegionBytes(1 << 20).withoutThresholds());
    }

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    void whoReadsPartOfASequenceLetsGoOfItByClosing() {
        List<Sample> all = Sample.list(0, 60_000);
        H2Sequence<Sample> sequence = heap.append(LABEL, all);
        H2Iterator<Sample> part = sequence.iterator();
        assertThat(part.next()).isEqualTo(all.get(0));
        sequence.close();
        assertThat(heap.statistics().regionsInUse()).isPositive();
        part.close();
        assertThat(heap.statistics().regionsInUse()).isZero();
        assertThat(part.next()).as("of the group that has been decoded").isEqualTo(all.get(1));
        assertThatThrownBy(() -> part.forEachRemaining(any -> {}))
                .isInstanceOf(SecondHeapException.class)
                .hasMessageContaining("closed before its end");
    }

    private static final class Counted implements Serializable {
        private static final long serialVersionUID = 1L;
        private transient int uses;

        Counted(int uses) {
            this.uses = uses;
        }
    }

    @Test
    void sequencesMayHaveAnInstanceOfHeapspanOfTheirOwn() {
        H2Sequence<Counted> own;
        try (H2Appender<Counted> appender = heap.appender(LABEL, Heapspan.create())) {
            appender.add(new Counted(5));
            own = appender.finish();
        }
        assertThat(own.element(0).uses).as("as object streams have it").isZero();
        own.updateElement(0, old -> new Counted(6));
        assertThat(own.element(0).uses).isZero();
        assertThat(heap.append(LABEL, List.of(new Counted(5))).element(0).uses)
                .as("as the heap has it")
                .isEqualTo(5);
    }

    @Test
    void taggedRootIsTheVeryObjectUntilItMoves() {
        Sample sample = new Sample(1);
        H2Handle<Sample> handle = heap.tagRoot(sample, LABEL);

        assertThat(handle.get()).isSameAs(sample);
        assertThat(handle.isMoved()).isFalse();

        assertThat(heap.move(OTHER)).isEqualTo(new MoveReport(0, 0, 0));
        assertThat(handle.get()).isSameAs(sample);

        MoveReport report = heap.move(LABEL);
        assertThat(report.movedRoots()).isEqualTo(1);
        assertThat(report.imageBytes()).isEqualTo(handle.imageBytes()).isPositive();
        assertThat(handle.isMoved()).isTrue();
        assertThat(handle.get()).isNotSameAs(sample).isEqualTo(sample);
        assertThat(handle.get()).isNotSameAs(handle.get());
        assertThat(handle.elementCount()).isEqualTo(1);
    }

    @Test
    void graphKeepsItsShape() {
        Sample first = new Sample(1);
        Sample second = new Sample(2);
        first.next = second;
        second.next = first;
        H2Handle<Sample> handle = heap.tagRoot(first, LABEL);
        heap.move(LABEL);

        Sample copy = handle.get();
        assertThat(copy).isEqualTo(first);
        assertThat(copy.next).isEqualTo(second);
        assertThat(copy.next.next).isSameAs(copy);
    }

    @Test
    void manyRootsOfManySizesMove() {
        List<H2Handle<Object>> handles = new ArrayList<>();
        List<Object> roots = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Object root = i % 3 == 0 ? new Sample(i) : new byte[i * 37];
            if (root instanceof byte[] bytes && bytes.length > 0) {
                bytes[bytes.length - 1] = (byte) i;
            }
            roots.add(root);
            handles.add(heap.tagRoot(root, Label.of(i % 5)));
        }
        for (int i = 0; i < 5; i++) {
            assertThat(heap.move(Label.of(i)).movedRoots()).isEqualTo(100);
        }
        for (int i = 0; i < 500; i++) {
            assertThat(handles.get(i).get()).isEqualTo(roots.get(i));
        }
    }

    @Test
    void rootLargerThanRegionGetsSeveral() {
        long[] large = new long[700_000];
        large[699_999] = 42;
        H2Handle<long[]> handle = heap.tagRoot(large, LABEL);
        heap.move(LABEL);

        assertThat(handle.get()).isEqualTo(large);
        assertThat(heap.statistics().regionsInUse()).isEqualTo(6);
        handle.close();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void rootLargerThanBufferAndSmallerThanRegion() {
        try (SecondHeap wide = SecondHeap.open(directory, SecondHeapOptions.capacity(64 << 20))) {
            byte[] large = new byte[5 << 20];
            large[4 << 20] = 42;
            H2Handle<byte[]> handle = wide.tagRoot(large, LABEL);
            H2Handle<Sample> small = wide.tagRoot(new Sample(1), LABEL);
            wide.move(LABEL);

            assertThat(handle.get()).isEqualTo(large);
            assertThat(small.get()).isEqualTo(new Sample(1));
            assertThat(wide.statistics().regionsInUse()).isEqualTo(1);
        }
    }

    @Test
    void refusedRootStaysAndOthersMove() {
        Object[] holder = {Thread.currentThread()};
        H2Handle<Object[]> refused = heap.tagRoot(holder, LABEL);
        H2Handle<Sample> moved = heap.tagRoot(new Sample(1), LABEL);

        MoveReport report = heap.move(LABEL);

        assertThat(report.movedRoots()).isEqualTo(1);
        assertThat(report.refusedRoots()).isEqualTo(1);
        assertThat(refused.get()).isSameAs(holder);
        assertThat(moved.get()).isEqualTo(new Sample(1));
        assertThat(heap.move(LABEL)).isEqualTo(new MoveReport(0, 0, 0));
        assertThat(heap.statistics().refusedRoots()).isEqualTo(1);
        moved.close();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    private static final class Asserting implements Serializable {
        private static final long serialVersionUID = 1L;

        private void writeObject(ObjectOutputStream output) {
            throw new AssertionError("made up");
        }
    }

    @Test
    void rootWhoseMethodFailsWithAnErrorStaysAndOthersMove() {
        H2Handle<Asserting> refused = heap.tagRoot(new Asserting(), LABEL);
        H2Handle<Sample> moved = heap.tagRoot(new Sample(1), LABEL);

        MoveReport report = heap.move(LABEL);

        assertThat(report.refusedRoots()).isEqualTo(1);
        assertThat(refused.isMoved()).isFalse();
        assertThat(moved.isMoved()).isTrue();
    }

    @Test
    void refusedElementAfterManyLeavesNothing() {
        List<Object> roots = new ArrayList<>(Sample.list(0, 2000));
        roots.add(Thread.currentThread());
        H2Sequence<Object> refused = heap.tagRoots(roots, LABEL);
        H2Handle<Sample> moved = heap.tagRoot(new Sample(1), LABEL);

        assertThat(heap.move(LABEL).refusedRoots()).isEqualTo(1);

        assertThat(refused.get()).isEqualTo(roots);
        moved.close();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void sequenceIsStreamed() {
        H2Sequence<Sample> sequence = heap.append(LABEL, Sample.list(0, 20_000));

        assertThat(sequence.elementCount()).isEqualTo(20_000);
        assertThat(sequence.imageBytes()).isGreaterThan(1 << 20);
        assertThat(sequence.isMoved()).isTrue();
        int next = 0;
        for (Sample each : sequence.elements()) {
            assertThat(each).isEqualTo(new Sample(next++));
        }
        assertThat(next).isEqualTo(20_000);
        assertThat(sequence.element(12_345)).isEqualTo(new Sample(12_345));
        assertThat(sequence.get()).hasSize(20_000).endsWith(new Sample(19_999));
    }

    @Test
    void emptySequenceAndNullElements() {
        assertThat(heap.<Object>append(LABEL, List.of()).elements()).isEmpty();
        List<Object> withNull = new ArrayList<>();
        withNull.add(null);
        withNull.add("a");
        H2Sequence<Object> sequence = heap.append(LABEL, withNull);
        assertThat(sequence.elements().iterator()).toIterable().isEqualTo(withNull);
    }

    @Test
    void elementsOfRootThatIsArrayOrIterable() {
        H2Handle<Object[]> array = heap.tagRoot(new Object[] {"a", "b"}, LABEL);
        H2Handle<List<String>> list = heap.tagRoot(List.of("c"), LABEL);
        H2Handle<String> none = heap.tagRoot("d", LABEL);
        heap.move(LABEL);

        assertThat(array.elements().iterator()).toIterable().isEqualTo(List.of("a", "b"));
        assertThat(list.elements().iterator()).toIterable().isEqualTo(List.of("c"));
        assertThatThrownBy(none::elements)
                .isInstanceOf(SecondHeapException.class)
                .hasMessageContaining("java.lang.String");
    }

    @Test
    void aCollectionThatFailsLeavesNoLabel() {
        List<Sample> failing = new ArrayList<>() {
            @Override
            public Object[] toArray() {
                throw new ConcurrentModificationException();
            }
        };
        assertThatThrownBy(() -> heap.tagRoots(failing, LABEL)).isInstanceOf(ConcurrentModificationException.class);
        assertThat(heap.statistics().labels()).isEmpty();
    }

    @Test
    void taggedSequenceIsUpdatedBeforeAndAfterItMoves() {
        List<Sample> expected = Sample.list(0, 3000);
        H2Sequence<Sample> sequence = heap.tagRoots(expected, LABEL);
        sequence.updateElement(5, each -> new Sample(-5));
        expected.set(5, new Sample(-5));
        assertThat(sequence.element(5)).isEqualTo(new Sample(-5));

        heap.move(LABEL);
        assertThat(sequence.get()).isEqualTo(expected);

        sequence.updateElement(2999, each -> new Sample(each.number + 1));
        expected.set(2999, new Sample(3000));
        sequence.updateElement(0, each -> new Sample(17));
        expected.set(0, new Sample(17));
        assertThat(sequence.get()).isEqualTo(expected);
        assertThat(heap.statistics().deadBytes()).isPositive();

        sequence.updateElements(each -> new Sample(2 * each.number));
        expected.replaceAll(each -> new Sample(2 * each.number));
        assertThat(sequence.get()).isEqualTo(expected);
        assertThat(heap.statistics().liveBytes()).isEqualTo(sequence.imageBytes());
        assertThatThrownBy(() -> sequence.updateElement(3000, each -> each))
                .isInstanceOf(IndexOutOfBoundsException.class);

        sequence.close();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void rootIsUpdatedBeforeAndAfterItMoves() {
        H2Handle<Sample> handle = heap.tagRoot(new Sample(1), LABEL);
        handle.update(each -> new Sample(2));
        heap.move(LABEL);
        assertThat(handle.get()).isEqualTo(new Sample(2));

        assertThat(handle.update(each -> new Sample(each.number + 1))).isEqualTo(new Sample(3));
        assertThat(handle.isMoved()).isTrue();
        assertThat(handle.get()).isEqualTo(new Sample(3));
        for (int i = 0; i < 100_000 && heap.statistics().regionsFreed() == 0; i++) {
            handle.update(each -> new Sample(each.number + 1));
        }
        assertThat(heap.statistics().regionsFreed()).isPositive();
        assertThat(heap.statistics().regionsInUse()).isEqualTo(1);
    }

    @Test
    void rootThatIsRefusedWhenUpdatedStaysOnTheJavaHeap() {
        H2Handle<Object> handle = heap.tagRoot(new Sample(1), LABEL);
        heap.move(LABEL);
        Object refused = Thread.currentThread();

        assertThat(handle.update(each -> refused)).isSameAs(refused);
        assertThat(handle.get()).isSameAs(refused);
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void closedHandleFreesItsRegionsWhichAreUsedAgain() {
        for (int i = 0; i < 40; i++) {
            try (H2Sequence<Sample> sequence = heap.append(LABEL, Sample.list(i, 20_000))) {
                assertThat(sequence.element(19_999)).isEqualTo(new Sample(i + 19_999));
            }
        }
        assertThat(heap.statistics().regionsInUse()).isZero();
        assertThat(heap.statistics().regionsFreed()).isGreaterThan(32);
        assertThat(heap.statistics().labels()).isEmpty();
    }

    @Test
    void nothingIsNoRoot() {
        assertThatThrownBy(() -> heap.tagRoot(null, LABEL))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("root");
        assertThat(heap.statistics().labels()).isEmpty();
    }

    @Test
    void closedHandleGivesNothing() {
        H2Handle<Sample> handle = heap.tagRoot(new Sample(1), LABEL);
        handle.close();
        handle.close();
        assertThatThrownBy(handle::get)
                .isInstanceOfSatisfying(
                        SecondHeapException.class, e -> assertThat(e.category()).isEqualTo(Category.USAGE));
        assertThat(heap.move(LABEL).movedRoots()).isZero();
    }

    @Test
    void closedHeapGivesNothing() {
        H2Handle<Sample> handle = heap.tagRoot(new Sample(1), LABEL);
        heap.move(LABEL);
        H2Appender<Sample> appender = heap.appender(LABEL);
        heap.close();
        heap.close();

        assertThatThrownBy(handle::get).isInstanceOf(SecondHeapException.class);
        assertThatThrownBy(() -> heap.tagRoot("", LABEL)).isInstanceOf(SecondHeapException.class);
        assertThatThrownBy(() -> appender.add(new Sample(1))).isInstanceOf(SecondHeapException.class);
        appender.close();
        handle.close();
    }

    @Test
    void regionsAreNotUsedAgainWhileAnIteratorReadsThem() {
        H2Sequence<Sample> sequence = heap.append(LABEL, Sample.list(0, 20_000));
        Iterator<Sample> reading = sequence.elements().iterator();
        assertThat(reading.next()).isEqualTo(new Sample(0));
        int inUse = heap.statistics().regionsInUse();

        sequence.close();
        assertThat(heap.statistics().regionsInUse()).isEqualTo(inUse);
        H2Sequence<Sample> next = heap.append(LABEL, Sample.list(50_000, 20_000));
        int expected = 1;
        while (reading.hasNext()) {
            assertThat(reading.next()).isEqualTo(new Sample(expected++));
        }
        assertThat(expected).isEqualTo(20_000);
        next.close();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void filesAreNotInTheFolder() throws Exception {
        heap.append(LABEL, Sample.list(0, 20_000));
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void folderThatCannotBeWrittenToIsNamed() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> SecondHeap.open(file, SecondHeapOptions.capacity(16 << 20)))
                .isInstanceOf(SecondHeapException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void statisticsAddUp() {
        H2Sequence<Sample> sequence = heap.append(LABEL, Sample.list(0, 20_000));
        H2Handle<Sample> waiting = heap.tagRoot(new Sample(1), OTHER);

        SecondHeapStatistics statistics = heap.statistics();
        assertThat(statistics.capacityBytes()).isEqualTo(32 << 20);
        assertThat(statistics.liveBytes()).isEqualTo(sequence.imageBytes());
        assertThat(statistics.deadBytes()).isZero();
        assertThat(statistics.writtenBytes()).isEqualTo(sequence.imageBytes());
        assertThat(statistics.appendedSequences()).isEqualTo(1);
        assertThat(statistics.occupancy().get(10)).isEqualTo(statistics.regionsInUse());
        assertThat(statistics.labels()).hasSize(2);
        assertThat(statistics.labels().get(0).liveBytes()).isEqualTo(sequence.imageBytes());
        assertThat(statistics.labels().get(1).taggedRoots()).isEqualTo(1);
        assertThat(waiting.isMoved()).isFalse();
    }

    @Test
    void elementsOnTheJavaHeapAreUpdatedAllOrNone() {
        H2Sequence<Sample> sequence = heap.tagRoots(Sample.list(0, 10), LABEL);
        assertThatThrownBy(() -> sequence.updateElements(each -> {
                    if (each.number == 5) {
                        throw new IllegalStateException("made up");
                    }
                    return new Sample(-1);
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(sequence.get()).isEqualTo(Sample.list(0, 10));
        assertThat(heap.move(LABEL).movedRoots()).isEqualTo(1);
        assertThat(sequence.get()).isEqualTo(Sample.list(0, 10));
    }

    @Test
    void bytesAreNotReleasedOnceMoreThanTheyAreUsed() {
        try (SecondHeap heap = SecondHeap.open(directory, SecondHeapOptions.capacity(64 << 20))) {
            H2Sequence<Sample> sequence = heap.append(Label.of(1), Sample.list(0, 10));
            Residence use = sequence.state().use();
            use.release();
            use.release();
            assertThat(heap.statistics().regionsInUse()).isZero();
            // Whoever has the region now keeps it.
            H2Sequence<Sample> next = heap.append(Label.of(1), Sample.list(0, 10));
            assertThatThrownBy(use::release).isInstanceOf(IllegalStateException.class);
            assertThat(heap.statistics().regionsInUse()).isEqualTo(1);
            assertThat(next.get()).isEqualTo(Sample.list(0, 10));
        }
    }
}
