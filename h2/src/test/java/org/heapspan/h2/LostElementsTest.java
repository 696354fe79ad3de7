package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Elements whose group is lost with a later one, which is nested too deeply and waits for a lock of the appender's thread. */
@Tag("once")
final class LostElementsTest {
    private static final Label LABEL = Label.of(1);
    private static final int STACK_BYTES = 512 << 10;

    /** Too many for four times the stack: the C library may hand a thread the stack of an ended one, up to four times as large. */
    private static final int LEVELS = 20_000;

    private static final Object LOCK = new Object();

    @TempDir
    Path directory;

    /** Each level is written within the one around it, and the innermost one needs the lock. */
    private static final class Level implements Serializable {
        private static final long serialVersionUID = 1L;

        private Level inner;

        private void writeObject(ObjectOutputStream output) throws IOException {
            if (inner == null) {
                synchronized (LOCK) {
                    output.writeObject("innermost");
                }
            } else {
                output.writeObject(inner);
            }
        }
    }

    private static Object deep() {
        Level nested = new Level();
        for (int i = 0; i < LEVELS; i++) {
            Level outer = new Level();
            outer.inner = nested;
            nested = outer;
        }
        return nested;
    }

    private static void onSmallStack(Runnable test) throws Exception {
        FutureTask<?> task = new FutureTask<>(test, null);
        new Thread(null, task, "small stack", STACK_BYTES).start();
        task.get();
    }

    @Test
    void nobodyGetsFewerElementsThanWereAppended() throws Exception {
        onSmallStack(() -> {
            try (SecondHeap heap = SecondHeap.open(
                    directory, SecondHeapOptions.capacity(64 << 20).withoutThresholds())) {
                try (H2Appender<Object> appender = heap.appender(LABEL)) {
                    synchronized (LOCK) {
                        assertThatThrownBy(() -> appender.addAll(
                                        List.of("before", deep()).iterator()))
                                .isInstanceOf(HeapspanException.class);
                    }
                    assertThatThrownBy(appender::finish).isInstanceOf(SecondHeapException.class);
                    assertThatThrownBy(appender::takeBack)
                            .isInstanceOfSatisfying(
                                    SecondHeapException.class,
                                    e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                            .hasMessageContaining("1 elements are lost");
                }
                assertThat(heap.statistics().regionsInUse()).isZero();
            }
        });
    }

    @Test
    void otherAppendersAreAsTheyWere() throws Exception {
        onSmallStack(() -> {
            try (SecondHeap heap = SecondHeap.open(
                    directory, SecondHeapOptions.capacity(64 << 20).withoutThresholds())) {
                Object deep = deep();
                try (H2Appender<Object> appender = heap.appender(LABEL)) {
                    synchronized (LOCK) {
                        assertThatThrownBy(() -> appender.add(deep)).isInstanceOf(HeapspanException.class);
                    }
                    assertThat(appender.takeBack()).toIterable().containsExactly(deep);
                }
                assertThat(heap.append(LABEL, List.of("next")).get()).containsExactly("next");
            }
        });
    }
}
