package org.heapspan.exchange.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class BusyWaitTest {
    private final Semaphore room = new Semaphore(1);
    private final BusyWait wait = new BusyWait(room);
    private int questions;

    private int notYet() {
        questions++;
        return 0;
    }

    private int soon() {
        return ++questions == 3 ? -1 : 0;
    }

    /** The third question must come in time, so a busy machine needs several attempts. */
    @Test
    void asksUntilThereIsAnAnswer() throws Exception {
        Eventually.holds("there was an answer", () -> {
            questions = 0;
            return new BusyWait(room).until(this::soon) == -1;
        });
        assertThat(questions).isEqualTo(3);
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    void endsSoonWithoutAnAnswer() throws IOException {
        long begin = System.nanoTime();
        assertThat(wait.until(this::notYet)).isZero();
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(BusyWait.NANOS);
        assertThat(questions).isPositive();
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    void asksLessOftenIfThatDoesNotPay() throws IOException {
        for (int leftOut : new int[] {1, 3, 7, 15, 31, 63, 127, BusyWait.MOST_LEFT_OUT, BusyWait.MOST_LEFT_OUT}) {
            assertThat(asksAtNext()).isTrue();
            for (int i = 0; i < leftOut; i++) {
                assertThat(asksAtNext()).as("wait %d of %d", i, leftOut).isFalse();
            }
        }
        assertThat(wait.until(() -> 1)).isEqualTo(1);
        assertThat(asksAtNext()).as("one that paid is followed by another").isTrue();
        assertThat(asksAtNext()).isFalse();
        assertThat(asksAtNext()).as("counting began anew").isTrue();
    }

    private boolean asksAtNext() throws IOException {
        questions = 0;
        wait.until(this::notYet);
        return questions > 0;
    }

    @Test
    void leavesOneProcessorForOthers() throws IOException {
        room.drainPermits();
        assertThat(wait.until(this::notYet)).isZero();
        assertThat(questions).isZero();
        room.release();
        assertThat(asksAtNext()).isTrue();
    }

    @Test
    void aFailureIsAWaitInVain() throws IOException {
        assertThatThrownBy(() -> wait.until(() -> {
                    throw new IOException("closed");
                }))
                .hasMessage("closed");
        assertThat(room.availablePermits()).isEqualTo(1);
        assertThat(asksAtNext()).isFalse();
        assertThat(asksAtNext()).isTrue();
    }
}
