package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.Mode;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Capacity and disk come to their end at every point there is, and nothing is lost. */
@Tag("once")
final class FullHeapTest {
    private static final Label LABEL = Label.of(1);
    private static final SecondHeapOptions SMALL =
            SecondHeapOptions.capacity(4 << 20).withRegionBytes(1 << 20).withoutThresholds();

    @TempDir
    Path directory;

    private final FailingStorage storage = new FailingStorage();

    private static <E> List<E> listOf(Iterator<E> iterator) {
        List<E> all = new ArrayList<>();
        iterator.forEachRemaining(all::add);
        return all;
    }

    @Test
    void elementsOfAnAppenderComeBackWhenTheCapacityEnds() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL)) {
            List<Sample> all = Sample.list(0, 60_000);
            Iterator<Sample> source = all.iterator();
            H2Appender<Sample> appender = heap.appender(LABEL);
            assertThatThrownBy(() -> appender.addAll(source))
                    .isInstanceOfSatisfying(
                            SecondHeapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
            assertThatThrownBy(() -> appender.add(new Sample(-1))).isInstanceOf(SecondHeapException.class);
            assertThat(source.hasNext()).isTrue();

            long count = appender.elementCount();
            List<Sample> back = listOf(appender.takeBack());
            assertThat(back).isEqualTo(all.subList(0, (int) count));
            assertThatThrownBy(appender::takeBack).isInstanceOf(SecondHeapException.class);
            assertThat(listOf(source)).isEqualTo(all.subList((int) count, all.size()));
            assertThat(heap.statistics().regionsInUse()).isZero();
            assertThat(heap.statistics().labels()).isEmpty();

            // And there is room again.
            assertThat(heap.append(LABEL, Sample.list(0, 1000)).elementCount()).isEqualTo(1000);
        }
    }

    @Test
    void whatIsLeftToOthersOfTheDeviceStaysFree() {
        SecondHeapOptions options = SMALL.withReserve(Long.MAX_VALUE);
        try (SecondHeap heap = SecondHeap.open(directory, options)) {
            List<Sample> all = Sample.list(0, 10_000);
            H2Appender<Sample> appender = heap.appender(LABEL);
            Iterator<Sample> source = all.iterator();
            assertThatThrownBy(() -> {
                        appender.addAll(source);
                        appender.finish();
                    })
                    .isInstanceOfSatisfying(
                            SecondHeapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.IO))
                    .hasMessageContaining("are left to others");
            List<Sample> back = listOf(appender.takeBack());
            back.addAll(listOf(source));
            assertThat(back).isEqualTo(all);
            assertThat(heap.statistics().regionsInUse()).isZero();
        }
    }

    @Test
    void whoeverHoldsHandlesMayMakeRoom() {
        List<H2Sequence<Sample>> held = new ArrayList<>();
        SecondHeapOptions options = SMALL.withReclaimer(() -> {
            if (held.isEmpty()) {
                return false;
            }
            held.remove(0).close();
            return true;
        });
        try (SecondHeap heap = SecondHeap.open(directory, options)) {
            List<Sample> all = Sample.list(0, 10_000);
            H2Sequence<Sample> last = heap.append(Label.of(0), all);
            for (int label = 1; label < 40; label++) {
                held.add(last);
                last = heap.append(Label.of(label), all);
            }
            assertThat(listOf(last.elements().iterator())).isEqualTo(all);
            assertThat(held.size()).isLessThan(39);

            // With nothing left that could be closed the heap is full.
            List<Sample> tooMany = Sample.list(0, 200_000);
            assertThatThrownBy(() -> heap.append(LABEL, tooMany))
                    .isInstanceOfSatisfying(
                            SecondHeapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
            assertThat(held).isEmpty();
            assertThat(listOf(last.elements().iterator())).isEqualTo(all);
        }
    }

    @Test
    void refusedElementIsAmongThoseTakenBack() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL)) {
            List<Object> all = new ArrayList<>(Sample.list(0, 5000));
            all.add(Thread.currentThread());
            all.add("rest");
            Iterator<Object> source = all.iterator();
            try (H2Appender<Object> appender = heap.appender(LABEL)) {
                assertThatThrownBy(() -> appender.addAll(source))
                        .isInstanceOfSatisfying(
                                HeapspanException.class,
                                e -> assertThat(e.category()).isEqualTo(Category.CLASS_REFUSED));
                List<Object> back = listOf(appender.takeBack());
                assertThat(back).isEqualTo(all.subList(0, 5001));
            }
            assertThat(listOf(source)).containsExactly("rest");
            assertThat(heap.statistics().regionsInUse()).isZero();
        }
    }

    @Test
    void abandonedAppenderLeavesNothing() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL)) {
            try (H2Appender<Sample> appender = heap.appender(LABEL)) {
                appender.addAll(Sample.list(0, 15_000).iterator());
                assertThat(heap.statistics().regionsInUse()).isPositive();
            }
            assertThat(heap.statistics().regionsInUse()).isZero();
        }
    }

    @Test
    void rootsStayOnTheJavaHeapWhenTheCapacityEnds() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL)) {
            List<H2Handle<byte[]>> handles = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                byte[] root = new byte[100_000];
                root[99_999] = (byte) i;
                handles.add(heap.tagRoot(root, LABEL));
            }
            assertThatThrownBy(() -> heap.move(LABEL))
                    .isInstanceOfSatisfying(
                            SecondHeapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
            for (int i = 0; i < 100; i++) {
                assertThat(handles.get(i).get()[99_999]).isEqualTo((byte) i);
            }
            // Those that are left move once there is room.
            handles.subList(30, 100).forEach(H2Handle::close);
            handles.subList(30, 100).clear();
            assertThat(heap.move(LABEL).movedRoots()).isEqualTo(30);
            for (int i = 0; i < 30; i++) {
                assertThat(handles.get(i).get()[99_999]).isEqualTo((byte) i);
                assertThat(handles.get(i).isMoved()).isTrue();
            }
        }
    }

    @Test
    void rootThatNeverFitsIsLeftAsideAndOthersMove() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL)) {
            byte[] tooLong = new byte[5 << 20];
            H2Handle<Sample> before = heap.tagRoot(new Sample(1), LABEL);
            H2Handle<byte[]> handle = heap.tagRoot(tooLong, LABEL);
            // Of this one, groups before the element that does not fit have been written when it is met.
            List<Object> elements = new ArrayList<>(Sample.list(0, 5000));
            elements.add(tooLong);
            H2Sequence<Object> sequence = heap.tagRoots(elements, LABEL);
            H2Handle<Sample> behind = heap.tagRoot(new Sample(2), LABEL);

            MoveReport report = heap.move(LABEL);

            assertThat(report).isEqualTo(new MoveReport(2, 2, before.imageBytes() + behind.imageBytes()));
            assertThat(before.get()).isEqualTo(new Sample(1));
            assertThat(behind.get()).isEqualTo(new Sample(2));
            assertThat(handle.get()).isSameAs(tooLong);
            assertThat(sequence.get()).isEqualTo(elements);
            assertThat(heap.move(LABEL)).as("they are not tried again").isEqualTo(new MoveReport(0, 0, 0));
            assertThat(heap.statistics().liveBytes()).isEqualTo(report.imageBytes());

            handle.update(each -> new byte[100]);
            sequence.updateElement(5000, each -> "short");
            assertThat(heap.move(LABEL).movedRoots()).as("before an update").isEqualTo(2);
            assertThat(handle.get()).hasSize(100);
            assertThat(sequence.element(5000)).isEqualTo("short");
        }
    }

    @Test
    void diskIsFullAtEachWriteOfAMove() {
        for (int failing = 0; failing < 12; failing++) {
            FailingStorage full = new FailingStorage();
            full.failingWrite.set(failing);
            try (SecondHeap heap =
                    SecondHeap.open(directory, SMALL.withStorage(full).withWriteBuffers(1 + failing % 3))) {
                List<H2Handle<Object>> handles = new ArrayList<>();
                List<Object> roots = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    Object root = i == 20 ? new byte[1_500_000] : Sample.list(i, 50);
                    roots.add(root);
                    handles.add(heap.tagRoot(root, LABEL));
                }
                boolean moved = false;
                try {
                    heap.move(LABEL);
                    moved = true;
                } catch (SecondHeapException e) {
                    assertThat(e.category()).isEqualTo(Category.IO);
                    assertThat(e).hasMessageContaining("No space left on device");
                }
                assertThat(moved).isEqualTo(full.writes.get() <= failing);
                for (int i = 0; i < 40; i++) {
                    assertThat(handles.get(i).get()).isEqualTo(roots.get(i));
                }
                // The disk has room again.
                full.failingWrite.set(Integer.MAX_VALUE);
                heap.move(LABEL);
                for (int i = 0; i < 40; i++) {
                    assertThat(handles.get(i).isMoved()).isTrue();
                    assertThat(handles.get(i).get()).isEqualTo(roots.get(i));
                }
                handles.forEach(H2Handle::close);
                assertThat(heap.statistics().regionsInUse()).isZero();
            }
            assertThat(full.closed.get()).isEqualTo(1);
        }
    }

    @Test
    void diskIsFullAtEachWriteOfAnAppender() {
        for (int failing = 0; failing < 8; failing++) {
            FailingStorage full = new FailingStorage();
            full.failingWrite.set(failing);
            full.once = failing % 2 == 0;
            try (SecondHeap heap =
                    SecondHeap.open(directory, SMALL.withStorage(full).withWriteBuffers(1 + failing % 3))) {
                List<Sample> all = Sample.list(0, 12_000);
                Iterator<Sample> source = all.iterator();
                try (H2Appender<Sample> appender = heap.appender(LABEL)) {
                    H2Sequence<Sample> sequence = null;
                    try {
                        appender.addAll(source);
                        sequence = appender.finish();
                    } catch (SecondHeapException e) {
                        assertThat(e.category()).isEqualTo(Category.IO);
                    }
                    if (sequence != null) {
                        assertThat(full.writes.get()).isLessThanOrEqualTo(failing);
                        assertThat(sequence.get()).isEqualTo(all);
                        sequence.close();
                    } else {
                        List<Sample> back = listOf(appender.takeBack());
                        source.forEachRemaining(back::add);
                        assertThat(back).isEqualTo(all);
                    }
                }
                assertThat(heap.statistics().regionsInUse()).isZero();
            }
        }
    }

    @Test
    void updateThatCannotBeWrittenStaysOnTheJavaHeapAndMovesLater() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL.withStorage(storage))) {
            H2Handle<Sample> handle = heap.tagRoot(new Sample(1), LABEL);
            heap.move(LABEL);
            storage.failingWrite.set(0);
            assertThat(handle.update(each -> new Sample(2))).isEqualTo(new Sample(2));
            assertThat(handle.isMoved()).isFalse();
            assertThat(handle.get()).isEqualTo(new Sample(2));
            assertThatThrownBy(() -> heap.move(LABEL)).isInstanceOf(SecondHeapException.class);

            storage.failingWrite.set(Integer.MAX_VALUE);
            assertThat(heap.move(LABEL).movedRoots()).isEqualTo(1);
            assertThat(handle.get()).isEqualTo(new Sample(2));
        }
    }

    @Test
    void elementsThatCannotBeUpdatedAreAsBefore() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL.withStorage(storage))) {
            H2Sequence<Sample> sequence = heap.append(LABEL, Sample.list(0, 3000));
            storage.failingWrite.set(0);
            assertThatThrownBy(() -> sequence.updateElement(7, each -> new Sample(-1)))
                    .isInstanceOf(SecondHeapException.class);
            assertThatThrownBy(() -> sequence.updateElements(each -> new Sample(-1)))
                    .isInstanceOf(SecondHeapException.class);
            assertThat(sequence.get()).isEqualTo(Sample.list(0, 3000));
            sequence.close();
            assertThat(heap.statistics().regionsInUse()).isZero();
        }
    }

    @Test
    void segmentWithoutLivePiecesGivesItsSpaceBack() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL.withStorage(storage))) {
            heap.append(LABEL, Sample.list(0, 1000)).close();
            // Takes all there is, and so waits for it.
            H2Handle<byte[]> whole = heap.tagRoot(new byte[3_500_000], LABEL);
            heap.move(LABEL);
            assertThat(storage.discards.get()).isEqualTo(1);
            assertThat(whole.isMoved()).isTrue();
        }
    }

    /** A failure that itself cannot be told, as when memory is used up. */
    private static final class UntellableException extends IOException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("made up");
        }
    }

    @Test
    @Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void nobodyWaitsForWriteWhoseFailureCannotBeTold() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL.withStorage(storage))) {
            storage.failure = new UntellableException();
            storage.failingWrite.set(0);
            storage.once = true;
            H2Handle<Sample> handle = heap.tagRoot(new Sample(1), LABEL);
            assertThatThrownBy(() -> heap.move(LABEL))
                    .isInstanceOfSatisfying(
                            SecondHeapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.IO));
            assertThat(heap.move(LABEL).movedRoots()).isEqualTo(1);
            assertThat(handle.get()).isEqualTo(new Sample(1));
        }
    }

    @Test
    @Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void segmentThatCannotBeGivenBackIsReplaced() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL.withStorage(storage))) {
            storage.discardFailure = new StackOverflowError("made up");
            heap.append(LABEL, Sample.list(0, 1000)).close();
            H2Sequence<Sample> next = heap.append(LABEL, Sample.list(0, 1000));
            assertThat(next.get()).isEqualTo(Sample.list(0, 1000));
            assertThat(storage.discards.get()).isEqualTo(1);
            assertThat(storage.closed.get()).isEqualTo(1);
        }
    }

    @Test
    void nothingIsLostWhenWhoMakesRoomFails() {
        IllegalStateException failure = new IllegalStateException("made up");
        SecondHeapOptions options = SMALL.withReclaimer(() -> {
            throw failure;
        });
        try (SecondHeap heap = SecondHeap.open(directory, options)) {
            List<Sample> all = Sample.list(0, 60_000);
            Iterator<Sample> source = all.iterator();
            try (H2Appender<Sample> appender = heap.appender(LABEL)) {
                assertThatThrownBy(() -> appender.addAll(source))
                        .isInstanceOf(SecondHeapException.class)
                        .hasCause(failure);
                List<Sample> back = listOf(appender.takeBack());
                source.forEachRemaining(back::add);
                assertThat(back).isEqualTo(all);
            }
            assertThat(heap.statistics().regionsInUse()).isZero();
        }
    }

    @Test
    void iteratorGoesOnWhereReadingFailed() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL.withStorage(storage))) {
            List<Sample> all = Sample.list(0, 5000);
            Iterator<Sample> elements = heap.append(LABEL, all).elements().iterator();
            storage.readsBeforeFailure.set(1);
            List<Sample> read = new ArrayList<>();
            assertThatThrownBy(() -> elements.forEachRemaining(read::add)).isInstanceOf(SecondHeapException.class);
            assertThat(read).isNotEmpty();
            elements.forEachRemaining(read::add);
            assertThat(read).isEqualTo(all);
        }
    }

    @Test
    void takingBackGoesOnWhereReadingFailed() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL.withStorage(storage))) {
            List<Sample> all = Sample.list(0, 60_000);
            Iterator<Sample> source = all.iterator();
            try (H2Appender<Sample> appender = heap.appender(LABEL)) {
                assertThatThrownBy(() -> appender.addAll(source)).isInstanceOf(SecondHeapException.class);
                Iterator<Sample> elements = appender.takeBack();
                storage.readsBeforeFailure.set(2);
                List<Sample> back = new ArrayList<>();
                assertThatThrownBy(() -> elements.forEachRemaining(back::add)).isInstanceOf(SecondHeapException.class);
                assertThat(back).isNotEmpty();
                elements.forEachRemaining(back::add);
                source.forEachRemaining(back::add);
                assertThat(back).isEqualTo(all);
            }
        }
    }

    @Test
    void failedAppenderDrawsNothing() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL);
                H2Appender<Sample> appender = heap.appender(LABEL)) {
            assertThatThrownBy(() -> appender.addAll(Sample.list(0, 60_000).iterator()))
                    .isInstanceOf(SecondHeapException.class);
            Iterator<Sample> more = Sample.list(0, 1).iterator();
            assertThatThrownBy(() -> appender.addAll(more)).isInstanceOf(SecondHeapException.class);
            assertThat(more.hasNext()).isTrue();
        }
    }

    @Test
    void appenderThatKeepsRefusedElementTakesNoMore() {
        try (SecondHeap heap = SecondHeap.open(directory, SMALL);
                H2Appender<Object> appender = heap.appender(LABEL)) {
            assertThatThrownBy(() -> appender.add(Thread.currentThread())).isInstanceOf(HeapspanException.class);
            appender.add("a");
            Iterator<Object> source =
                    List.<Object>of("b", Thread.currentThread(), "c").iterator();
            assertThatThrownBy(() -> appender.addAll(source)).isInstanceOf(HeapspanException.class);
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> appender.add("d"), () -> appender.addAll(source), appender::finish)) {
                assertThatThrownBy(call)
                        .isInstanceOfSatisfying(
                                SecondHeapException.class,
                                e -> assertThat(e.category()).isEqualTo(Category.USAGE));
            }
            assertThat(listOf(appender.takeBack())).containsExactly("a", "b", Thread.currentThread());
            assertThat(source.next()).isEqualTo("c");
        }
    }

    @Test
    void elementThatNeverFitsIsAmongThoseTakenBack() {
        byte[] tooLong = new byte[5 << 20];
        tooLong[4 << 20] = 42;
        // By itself in its group, and behind another element.
        for (int before : new int[] {0, 1, 5000}) {
            try (SecondHeap heap = SecondHeap.open(directory, SMALL);
                    H2Appender<Object> appender = heap.appender(LABEL)) {
                List<Object> all = new ArrayList<>(Sample.list(0, before));
                all.add(tooLong);
                assertThatThrownBy(() -> appender.addAll(all.iterator()))
                        .isInstanceOf(SecondHeapException.class)
                        .hasMessageContaining("the longest that the second heap can store");
                assertThat(appender.elementCount()).isEqualTo(all.size());
                List<Object> back = listOf(appender.takeBack());
                assertThat(back.subList(0, before)).isEqualTo(all.subList(0, before));
                assertThat((byte[]) back.get(before)).isEqualTo(tooLong);
                assertThat(heap.statistics().regionsInUse()).isZero();
            }
        }
    }

    @Test
    void elementOverTheLimitOfAnAppenderIsTheVeryObjectThatIsTakenBack() {
        Heapspan heapspan = Heapspan.builder().mode(Mode.CLONE).checksum(false).build();
        Object oneArray = new Held(7, new long[2 << 20]);
        List<Object> many = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            many.add(new Sample(i));
        }
        for (Object tooLong : List.of(oneArray, new Held(8, many))) {
            for (int before : new int[] {0, 1, 5000}) {
                try (SecondHeap heap = SecondHeap.open(directory, SecondHeapOptions.capacity(64 << 20));
                        H2Appender<Object> appender = heap.appender(LABEL, heapspan, 4 << 20)) {
                    List<Object> all = new ArrayList<>(Sample.list(0, before));
                    all.add(tooLong);
                    all.add("behind");
                    Iterator<Object> source = all.iterator();
                    assertThatThrownBy(() -> appender.addAll(source))
                            .isInstanceOfSatisfying(
                                    SecondHeapException.class,
                                    e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                            .hasMessageContaining("more than " + (4 << 20) + " bytes");
                    assertThat(appender.elementCount()).isEqualTo(before + 1L);
                    List<Object> back = listOf(appender.takeBack());
                    source.forEachRemaining(back::add);
                    assertThat(back).hasSameSizeAs(all);
                    assertThat(back.get(before)).isSameAs(tooLong);
                    back.set(before, "too long");
                    all.set(before, "too long");
                    assertThat(back).isEqualTo(all);
                    assertThat(heap.statistics().regionsInUse()).isZero();
                }
            }
        }
    }

    private record Held(int number, Object value) implements Serializable {}

    @Test
    void elementThatFitsByItselfIsTakenBehindOthers() {
        List<Object> all = List.of(new byte[100 << 10], new byte[(1 << 20) - (50 << 10)], "behind");
        Heapspan heapspan = Heapspan.builder().mode(Mode.CLONE).checksum(false).build();
        try (SecondHeap heap = SecondHeap.open(directory, SMALL);
                H2Appender<Object> appender = heap.appender(LABEL, heapspan, 1 << 20)) {
            appender.addAll(all.iterator());
            assertThat(listOf(appender.finish().iterator()).toArray()).isEqualTo(all.toArray());
        }
    }
}
