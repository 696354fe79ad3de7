package org.heapspan.exchange.transport;

import java.io.IOException;
import java.util.concurrent.Semaphore;

/**
 * Asks again and again for a short time, before a thread sleeps: to wake one takes longer than many an answer. Only where there is a processor for it,
 * and only as often as it has paid lately: each wait in vain doubles the number of waits that are left out. For one thread.
 */
final class BusyWait {
    /** What a sleep and the wake-up after it take, about. */
    static final long NANOS = 50_000;

    /** So a connection that is seldom used wastes at most a 256th of its waits. */
    static final int MOST_LEFT_OUT = 255;

    /** One processor is left for the thread that is waited for. */
    private static final Semaphore ROOM = new Semaphore(Runtime.getRuntime().availableProcessors() - 1);

    private final Semaphore room;
    private int leftOut;
    private int toLeaveOut;

    /** A question that is answered at once. */
    interface Question {
        /** Zero means: not yet. */
        int ask() throws IOException;
    }

    BusyWait() {
        this(ROOM);
    }

    /**
     * For tests.
     *
     * @param room a permit for each thread that may ask at the same time
     */
    BusyWait(Semaphore room) {
        this.room = room;
    }

    /** Asks until the answer is not zero; returns zero when that takes too long. */
    int until(Question question) throws IOException {
        if (leftOut < toLeaveOut) {
            leftOut++;
            return 0;
        }
        if (!room.tryAcquire()) {
            return 0;
        }
        int answer = 0;
        try {
            long begin = System.nanoTime();
            do {
                Thread.onSpinWait();
                answer = question.ask();
            } while (answer == 0 && System.nanoTime() - begin < NANOS);
        } finally {
            room.release();
            leftOut = 0;
            toLeaveOut = answer == 0 ? Math.min(2 * toLeaveOut + 1, MOST_LEFT_OUT) : 0;
        }
        return answer;
    }
}
