package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is done again and again is done again, whatever has happened to it. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class UpkeepTest {
    /** Neither an exception nor an error: nothing is thrown. */
    private static final Throwable NOTHING = new Throwable("nothing");

    private static final long FOREVER_MILLIS = TimeUnit.DAYS.toMillis(1);

    private final Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
    private final List<Upkeep> started = new ArrayList<>();

    private Upkeep start(Upkeep upkeep) {
        started.add(upkeep);
        upkeep.start();
        return upkeep;
    }

    @AfterEach
    void close() {
        started.forEach(Upkeep::close);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** Takes turns that throw these, one after the other. Returns when one more was taken. */
    private void takeTurns(Upkeep.Report report, Throwable... thrown) throws InterruptedException {
        Deque<Throwable> left = new ArrayDeque<>(List.of(thrown));
        CountDownLatch done = new CountDownLatch(1);
        start(new Upkeep(
                "test",
                1,
                () -> {
                    if (left.isEmpty()) {
                        done.countDown();
                    } else {
                        doThrow(left.remove());
                    }
                },
                report));
        await(done);
    }

    private static void doThrow(Throwable any) throws Exception {
        if (any instanceof Error error) {
            throw error;
        } else if (any instanceof Exception exception) {
            throw exception;
        }
    }

    @Test
    void theWorkIsDoneAgainWhateverItThrows() throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        for (Throwable each : List.of(
                new IOException("once"),
                new IllegalStateException("once"),
                new OutOfMemoryError("once"),
                new StackOverflowError("once"),
                new NoClassDefFoundError("once"),
                new AssertionError("once"))) {
            thrown.add(each);
            thrown.add(NOTHING);
        }
        takeTurns(reported::add, thrown.toArray(new Throwable[0]));
        thrown.removeIf(NOTHING::equals);
        assertThat(reported).containsExactlyElementsOf(thrown);
    }

    @Test
    void ofFailuresThatFollowOneAnotherTheFirstIsReported() throws InterruptedException {
        Throwable first = new IOException("first");
        Throwable again = new IOException("again");
        takeTurns(reported::add, first, new IOException("second"), new OutOfMemoryError("third"), NOTHING, again);
        assertThat(reported).containsExactly(first, again);
    }

    @Test
    void aReportThatFailsIsLost() throws InterruptedException {
        AtomicInteger reports = new AtomicInteger();
        takeTurns(
                failure -> {
                    reports.incrementAndGet();
                    throw new OutOfMemoryError("no memory for a message");
                },
                new IOException("first"),
                NOTHING,
                new IOException("second"));
        assertThat(reports).hasValue(2);
    }

    @Test
    void aPauseEndsAtOnceWithTheWork() throws Exception {
        Upkeep upkeep = start(new Upkeep("test", FOREVER_MILLIS, () -> reported.add(new Throwable()), reported::add));
        assertThat(upkeep.isRunning()).isTrue();
        upkeep.end();
        Eventually.holds("the thread has ended", () -> !upkeep.isRunning());
        assertThat(reported).isEmpty();
    }

    /** Which would close the files it works with. */
    @Test
    void anEndDoesNotInterruptTheLastTurn() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Upkeep upkeep = start(new Upkeep(
                "test",
                0,
                () -> {
                    begun.countDown();
                    await(ended);
                    // Not reported, because it has been ended.
                    throw new IOException("the files were closed");
                },
                reported::add));
        await(begun);
        upkeep.end();
        assertThat(upkeep.hasEnded()).isTrue();
        assertThat(upkeep.isRunning()).isTrue();
        ended.countDown();
        Eventually.holds("the thread has ended", () -> !upkeep.isRunning());
        assertThat(reported).isEmpty();
    }

    @Test
    void closingInterruptsATurn() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Upkeep upkeep = start(new Upkeep(
                "test",
                0,
                () -> {
                    begun.countDown();
                    TimeUnit.DAYS.sleep(1);
                },
                reported::add));
        await(begun);
        upkeep.close();
        Eventually.holds("the thread has ended", () -> !upkeep.isRunning());
        assertThat(reported).isEmpty();
    }

    /** Also if the turn has only kept it in its thread, and whether the pause is long or there is none. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void anInterruptIsTheEnd(long pauseMillis) throws Exception {
        AtomicInteger turns = new AtomicInteger();
        Upkeep upkeep = start(new Upkeep(
                "test",
                pauseMillis,
                () -> {
                    turns.incrementAndGet();
                    Thread.currentThread().interrupt();
                },
                reported::add));
        Eventually.holds("the thread has ended", () -> !upkeep.isRunning());
        assertThat(turns).hasValue(1);
        assertThat(upkeep.hasEnded()).isFalse();
    }

    @Test
    void theWorkEndsItself() throws Exception {
        AtomicInteger turns = new AtomicInteger();
        Upkeep[] self = new Upkeep[1];
        self[0] = new Upkeep(
                "test",
                1,
                () -> {
                    if (turns.incrementAndGet() == 3) {
                        self[0].end();
                    }
                },
                reported::add);
        start(self[0]);
        Eventually.holds("the thread has ended", () -> !self[0].isRunning());
        assertThat(turns).hasValue(3);
    }

    /** Otherwise a lack that lasts would use up a processor. */
    @Test
    void thereIsAPauseAfterAFailure() throws Exception {
        AtomicInteger turns = new AtomicInteger();
        Thread[] own = new Thread[1];
        CountDownLatch failed = new CountDownLatch(1);
        start(new Upkeep(
                "test",
                0,
                FOREVER_MILLIS,
                () -> {
                    own[0] = Thread.currentThread();
                    if (turns.incrementAndGet() == 2) {
                        throw new IOException("too many open files");
                    }
                },
                failure -> failed.countDown()));
        await(failed);
        Eventually.holds(
                "there is a pause, or another turn",
                () -> own[0].getState() == Thread.State.TIMED_WAITING || turns.get() > 2);
        assertThat(turns).hasValue(2);
    }
}
