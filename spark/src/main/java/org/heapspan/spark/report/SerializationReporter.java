package org.heapspan.spark.report;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.heapspan.spark.settings.HeapspanLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells every few seconds what this JVM has encoded and decoded, if it has, and once more at its end. One daemon thread, which sleeps. A report that
 * cannot be sent is lost, and the next one tells what came after; nothing is thrown.
 */
public final class SerializationReporter implements AutoCloseable {
    static final long PERIOD_MILLIS = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** Where reports go. */
    @FunctionalInterface
    public interface Target {
        void send(SerializationReport report) throws IOException;
    }

    private final SerializationReport.Series series;
    private final Target target;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ending = lock.newCondition();
    private long latestNanos = System.nanoTime();
    private boolean ended;

    private SerializationReporter(String executorId, Target target) {
        series = new SerializationReport.Series(executorId);
        this.target = target;
    }

    /** Begins to report. */
    public static SerializationReporter start(String executorId, Target target) {
        SerializationReporter reporter = new SerializationReporter(executorId, target);
        Thread thread = new Thread(reporter::run, "heapspan-reports");
        thread.setDaemon(true);
        thread.start();
        return reporter;
    }

    private void run() {
        lock.lock();
        try {
            while (!ended) {
                long left = TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS) - (System.nanoTime() - latestNanos);
                if (left > 0) {
                    ending.awaitNanos(left);
                } else {
                    report();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Called with the lock held. */
    private void report() {
        long now = System.nanoTime();
        long millis = TimeUnit.NANOSECONDS.toMillis(now - latestNanos);
        latestNanos = now;
        try {
            SerializationReport news = series.next(millis);
            if (news != null) {
                target.send(news);
            }
        } catch (Exception | LinkageError e) {
            LOG.debug("Heapspan's report of what was serialized was not sent", e);
        }
    }

    /** Reports what is left, and ends. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                report();
                ending.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
