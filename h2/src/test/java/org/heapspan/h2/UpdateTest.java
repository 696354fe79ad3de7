package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.management.MemoryNotificationInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import javax.management.Notification;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Threads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Updates while labels move: neither waits for the other for ever, and no state between two is taken for one. */
@Tag("once")
final class UpdateTest {
    private static final Label LABEL = Label.of(1);
    private static final Label OTHER = Label.of(2);

    @TempDir
    Path directory;

    private static SecondHeapOptions small() {
        return SecondHeapOptions.capacity(8 << 20).withRegionBytes(1 << 20);
    }

    @Test
    void labelIsNotMovedFromWithinAnUpdate() {
        try (SecondHeap heap = SecondHeap.open(directory, small().withoutThresholds())) {
            H2Handle<Sample> handle = heap.tagRoot(new Sample(1), LABEL);
            H2Sequence<Sample> sequence = heap.tagRoots(Sample.list(0, 1), LABEL);
            for (int i = 0; i < 2; i++) {
                for (ThrowingCallable update : List.<ThrowingCallable>of(
                        () -> handle.update(each -> moving(heap, each)),
                        () -> sequence.updateElement(0, each -> moving(heap, each)),
                        () -> sequence.updateElements(each -> moving(heap, each)))) {
                    assertThatThrownBy(update)
                            .isInstanceOfSatisfying(
                                    SecondHeapException.class,
                                    e -> assertThat(e.category()).isEqualTo(Category.USAGE))
                            .hasMessageContaining("move it before or after the update");
                }
                // Also of one that ended with an exception nothing is left.
                assertThat(heap.move(LABEL).movedRoots()).isEqualTo(i == 0 ? 2 : 0);
            }
        }
    }

    private static Sample moving(SecondHeap heap, Sample each) {
        heap.move(OTHER);
        return each;
    }

    @Test
    void rootIsTaggedWithinAnUpdateWhileSomebodyElseMoves() throws Exception {
        try (SecondHeap heap = SecondHeap.open(directory, small().withThresholds(1, 1))) {
            H2Handle<Sample> handle = heap.tagRoot(new Sample(1), LABEL);
            PressureMonitor monitor = heap.monitor();
            assumeThat(monitor).as("the collector has an old generation").isNotNull();
            Thread updating = new Thread(() -> handle.update(each -> {
                heap.tagRoot(new Sample(2), OTHER).close();
                return new Sample(3);
            }));
            // Held by whoever moves because the old generation is full, and who waits for the handle's lock.
            synchronized (monitor) {
                for (String type : List.of(
                        MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED,
                        MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED)) {
                    monitor.handleNotification(new Notification(type, this, 0), null);
                }
                updating.start();
                updating.join(Eventually.MOST_MILLIS);
                assertThat(updating.isAlive()).isFalse();
            }
            assertThat(handle.get()).isEqualTo(new Sample(3));
        }
    }

    private static CompletableFuture<Void> addFirst(
            H2Sequence<Sample> changed, H2Sequence<Sample> read, CyclicBarrier within) {
        return CompletableFuture.runAsync(
                () -> changed.updateElement(0, each -> {
                    try {
                        within.await();
                    } catch (InterruptedException | BrokenBarrierException e) {
                        throw new IllegalStateException(e);
                    }
                    return new Sample(each.number + read.get().get(0).number);
                }),
                Threads.FOR_EACH);
    }

    @Test
    @Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void updatesReadEachOthersSequences() throws Exception {
        for (boolean move : new boolean[] {false, true}) {
            try (SecondHeap heap = SecondHeap.open(directory, small().withoutThresholds())) {
                H2Sequence<Sample> first = heap.tagRoots(List.of(new Sample(1), new Sample(2)), LABEL);
                H2Sequence<Sample> second = heap.tagRoots(List.of(new Sample(10)), LABEL);
                if (move) {
                    heap.move(LABEL);
                }
                // One can end after the other has read.
                CyclicBarrier within = new CyclicBarrier(2);
                CompletableFuture<Void> ofFirst = addFirst(first, second, within);
                CompletableFuture<Void> ofSecond = addFirst(second, first, within);
                ofFirst.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
                ofSecond.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
                assertThat(first.element(0).number).isIn(11L, 12L);
                assertThat(second.element(0).number).isIn(11L, 21L);
                assertThat(first.element(1)).isEqualTo(new Sample(2));
            }
        }
    }

    /** Stops in the middle of its own encoding, and cannot be encoded before it is let. */
    private static final class Torn implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final CountDownLatch ENCODING = new CountDownLatch(1);
        private static final CountDownLatch UPDATED = new CountDownLatch(1);
        private boolean whole;

        private void writeObject(ObjectOutputStream output) throws Exception {
            boolean wasWhole = whole;
            ENCODING.countDown();
            UPDATED.await();
            if (!wasWhole) {
                throw new IllegalStateException("in the middle of an update");
            }
            output.defaultWriteObject();
        }
    }

    @Test
    @Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void rootThatIsUpdatedWhileItMovesIsNotRefused() throws Exception {
        try (SecondHeap heap =
                SecondHeap.open(directory, small().withoutThresholds().withHeapspan(Heapspan.create()))) {
            H2Handle<Torn> handle = heap.tagRoot(new Torn(), LABEL);
            Thread updating = new Thread(() -> {
                try {
                    Torn.ENCODING.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                handle.update(each -> {
                    each.whole = true;
                    return each;
                });
                Torn.UPDATED.countDown();
            });
            updating.start();

            assertThat(heap.move(LABEL)).isEqualTo(new MoveReport(0, 0, 0));
            updating.join();

            assertThat(handle.isMoved()).isFalse();
            assertThat(heap.statistics().refusedRoots()).isZero();
            assertThat(heap.move(LABEL).movedRoots()).isEqualTo(1);
            assertThat(handle.get().whole).isTrue();
        }
    }

    @Test
    void rootThatAnUpdateLeftBehindHalfDoneIsEncodedAsItIs() {
        try (SecondHeap heap = SecondHeap.open(directory, small().withoutThresholds())) {
            H2Handle<Sample[]> handle = heap.tagRoot(new Sample[] {new Sample(1)}, LABEL);
            int before = handle.version();
            assertThatThrownBy(() -> handle.update(each -> {
                        each[0] = new Sample(2);
                        throw new IllegalStateException("made up");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(handle.version())
                    .as("a move that began before it does not count")
                    .isGreaterThan(before);
            heap.move(LABEL);
            assertThat(handle.get()).containsExactly(new Sample(2));
        }
    }
}
