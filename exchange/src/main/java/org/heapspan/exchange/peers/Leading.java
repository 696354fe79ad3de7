package org.heapspan.exchange.peers;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Lets a server serve clients as long as it leads those that replicate their keys, one time after the other. A server that was elected and cannot
 * serve gives the lead to another one.
 */
public final class Leading {
    private static final System.Logger LOGGER = System.getLogger(Leading.class.getName());

    private final Replica replica;
    private final Serving serving;
    private final Duration pause;

    /** What a server does when it leads. */
    public interface Serving {
        /** Clients are served from now on. */
        void begin(Leadership leadership) throws IOException;

        /** Clients are sent to the leader from now on, also if the begin has failed. */
        void end() throws IOException;
    }

    /**
     * Prepares it.
     *
     * @param pause after a failure; others should be elected meanwhile
     */
    public Leading(Replica replica, Serving serving, Duration pause) {
        this.replica = replica;
        this.serving = serving;
        this.pause = pause;
    }

    /** Returns when the replica is being closed, or the thread is interrupted. */
    public void run() {
        try {
            while (true) {
                Leadership leadership = replica.awaitLeadership();
                if (leadership == null) {
                    return;
                }
                lead(leadership);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void lead(Leadership leadership) throws InterruptedException {
        boolean failed = false;
        try {
            serving.begin(leadership);
            LOGGER.log(System.Logger.Level.INFO, "this server leads");
            String why = leadership.awaitEnd();
            LOGGER.log(System.Logger.Level.INFO, "this server does not lead any more: " + why);
        } catch (IOException | RuntimeException | Error e) {
            LOGGER.log(
                    System.Logger.Level.ERROR,
                    "this server was elected, but cannot serve; it gives the lead to another one",
                    e);
            failed = true;
        }
        end();
        if (failed) {
            giveUp(leadership);
        }
    }

    private void end() throws InterruptedException {
        while (true) {
            try {
                serving.end();
                return;
            } catch (IOException | RuntimeException | Error e) {
                LOGGER.log(System.Logger.Level.ERROR, "this server cannot end its lead yet", e);
                pause();
            }
        }
    }

    private void giveUp(Leadership leadership) throws InterruptedException {
        try {
            replica.giveUp(leadership);
        } catch (IOException | RuntimeException | Error e) {
            LOGGER.log(
                    System.Logger.Level.ERROR,
                    "this server could not give the lead to another one; if it leads still, it tries to serve again",
                    e);
        }
        pause();
    }

    private void pause() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(pause.toMillis());
    }
}
