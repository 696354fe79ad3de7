package org.heapspan.exchange.peers;

import java.io.IOException;
import java.time.Duration;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.metadata.NotLeaderException;
import org.heapspan.exchange.transport.Deadline;

/** Waits until enough of the other servers have a copy. Thread-safe. */
final class Copying {
    private final int needed;
    private final int asked;
    private int succeeded;
    private int failed;
    private boolean isFull;
    private String lastFailure = "none has answered";

    Copying(int needed, int asked) {
        this.needed = needed;
        this.asked = asked;
    }

    synchronized void succeeded() {
        succeeded++;
        notifyAll();
    }

    /** One has no copy: it is full, which the client should hear of, or it may have one later. */
    synchronized void failed(String why, boolean full) {
        failed++;
        isFull |= full;
        lastFailure = why;
        notifyAll();
    }

    synchronized void await(Duration timeout) throws IOException {
        Deadline deadline = Deadline.after(timeout);
        try {
            while (succeeded < needed && failed <= asked - needed && !deadline.hasPassed()) {
                wait(Math.max(1, deadline.remainingMillis()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (succeeded < needed) {
            String why = "only " + (1 + succeeded) + " of " + (1 + asked)
                    + " servers have its bytes, which is no majority: " + lastFailure;
            throw isFull ? new FullException(why) : new NotLeaderException(why);
        }
    }
}
