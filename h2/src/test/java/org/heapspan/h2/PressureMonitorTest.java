package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Roots move by themselves when the old generation is full, also after a failure. */
@Tag("once")
@Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PressureMonitorTest {
    /** What the JVM itself needs is more. */
    private static final double NEXT_TO_NOTHING = 1e-4;

    @TempDir
    Path directory;

    /** As when memory is used up. */
    private static final class FailingHandler extends Handler {
        final AtomicInteger records = new AtomicInteger();

        @Override
        public void publish(LogRecord message) {
            records.incrementAndGet();
            throw new OutOfMemoryError("made up");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void rootsMoveAfterAFailureThatCouldNotBeLogged() throws Exception {
        FailingStorage storage = new FailingStorage();
        storage.failingWrite.set(0);
        SecondHeapOptions options = SecondHeapOptions.capacity(4 << 20)
                .withRegionBytes(1 << 20)
                .withThresholds(NEXT_TO_NOTHING, 0)
                .withStorage(storage);
        Logger logger = Logger.getLogger("org.heapspan");
        FailingHandler handler = new FailingHandler();
        logger.addHandler(handler);
        try (SecondHeap heap = SecondHeap.open(directory, options)) {
            assumeThat(heap.monitor()).as("the collector has an old generation").isNotNull();
            assertThat(heap.takeMoveFailure()).isNull();
            H2Handle<Sample> handle = heap.tagRoot(new Sample(1), Label.of(1));
            Eventually.holdsAfterCollection("the move fails", () -> handler.records.get() > 0);
            Throwable failure = heap.takeMoveFailure();
            assertThat(failure).isInstanceOf(SecondHeapException.class).hasMessageContaining("No space left on device");
            assertThat(heap.takeMoveFailure()).as("another one").isNotSameAs(failure);
            storage.failingWrite.set(Integer.MAX_VALUE);
            Eventually.holdsAfterCollection("the root moves", handle::isMoved);
            assertThat(handle.get()).isEqualTo(new Sample(1));
            Eventually.holds("there is no failure", () -> heap.takeMoveFailure() == null);
        } finally {
            logger.removeHandler(handler);
        }
    }
}
