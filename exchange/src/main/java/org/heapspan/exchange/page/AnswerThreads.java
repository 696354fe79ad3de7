package org.heapspan.exchange.page;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Threads that read requests and answer them. The JDK's server lets one of them wait for each client that is slow, for ever. Here a client that takes too
 * long to send its request, or to take the answer, loses its connection: the thread is interrupted, which closes the channel that it waits for.
 * Thread-safe.
 */
final class AnswerThreads implements Executor, Closeable {
    private static final long IDLE_SECONDS = 10;

    /** Of the client that a thread answers. */
    private static final ThreadLocal<@Nullable Limit> CURRENT = new ThreadLocal<>();

    private final Duration limit;
    private final ThreadPoolExecutor threads;
    private final ScheduledThreadPoolExecutor clock;

    /**
     * Starts no thread yet.
     *
     * @param count how many clients may be slow at a time before others wait for one of them
     * @param limit how long one may take
     */
    AnswerThreads(int count, Duration limit, ThreadFactory factory) {
        this.limit = limit;
        threads = new ThreadPoolExecutor(
                count, count, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        threads.allowCoreThreadTimeOut(true);
        // One that begins while all end needs no limit.
        clock = new ScheduledThreadPoolExecutor(1, factory, new ThreadPoolExecutor.DiscardPolicy());
        clock.setRemoveOnCancelPolicy(true);
    }

    /** The time of one client. After its end the thread may have another one. */
    private static final class Limit implements Runnable {
        private final Thread thread = Thread.currentThread();
        private @Nullable Future<?> timer;
        private boolean ended;

        synchronized void begin(ScheduledThreadPoolExecutor clock, Duration limit) {
            timer = clock.schedule(this, limit.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public synchronized void run() {
            if (!ended) {
                thread.interrupt();
            }
        }

        synchronized void end() {
            ended = true;
            if (timer != null) {
                timer.cancel(false);
            }
        }
    }

    /** What an answer is made of. */
    interface Content {
        String get() throws IOException;
    }

    @Override
    public void execute(Runnable work) {
        threads.execute(() -> {
            begin();
            try {
                work.run();
            } finally {
                end();
            }
        });
    }

    /** Gets what is to be sent, in a thread that answers. It takes no time of the client, and is not interrupted. */
    String prepare(Content content) throws IOException {
        end();
        if (Thread.interrupted()) {
            throw new InterruptedIOException("the client took too long to send its request");
        }
        try {
            return content.get();
        } finally {
            begin();
        }
    }

    private void begin() {
        Limit begun = new Limit();
        CURRENT.set(begun);
        begun.begin(clock, limit);
    }

    private void end() {
        Limit begun = CURRENT.get();
        if (begun != null) {
            begun.end();
            CURRENT.remove();
        }
    }

    /** Ends all answers. */
    @Override
    public void close() {
        threads.shutdownNow();
        clock.shutdownNow();
    }
}
