package org.heapspan.spark.statistics;

import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import org.heapspan.spark.settings.HeapspanLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this JVM has done with broadcasts whose bytes the executors of a host share. Thread-safe. */
public final class SharedBroadcasts {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** Those of this JVM, of all applications that run in it one after the other. */
    public static final SharedBroadcasts OF_THIS_JVM = new SharedBroadcasts();

    private final LongAdder stored = new LongAdder();
    private final LongAdder storedBytes = new LongAdder();
    private final LongAdder found = new LongAdder();
    private final LongAdder foundBytes = new LongAdder();
    private final LongAdder alone = new LongAdder();

    /** Reasons that have been logged: one line for each kind, not for each broadcast. */
    private final LoggedOnce logged = new LoggedOnce();

    /** The bytes of a broadcast were fetched and stored for all executors of the host. */
    public void stored(long bytes) {
        stored.increment();
        storedBytes.add(bytes);
    }

    /** The bytes of a broadcast were there already, or another executor has fetched them. */
    public void found(long bytes) {
        found.increment();
        foundBytes.add(bytes);
    }

    /** Spark reads a broadcast by itself. */
    public void alone() {
        alone.increment();
    }

    /** Spark reads a broadcast by itself, because its bytes could not be shared. */
    public void failed(long broadcast, Path folder, Throwable why) {
        alone();
        if (logged.isFirst(why.getClass().getName())) {
            LOG.warn(
                    "Heapspan: this executor reads broadcast {}, and perhaps others, by itself, because its bytes could"
                            + " not be shared in {}: {}",
                    broadcast,
                    folder,
                    why.toString());
        }
        LOG.debug("Broadcast {} is not shared", broadcast, why);
    }

    public long storedCount() {
        return stored.sum();
    }

    public long storedBytes() {
        return storedBytes.sum();
    }

    public long foundCount() {
        return found.sum();
    }

    public long foundBytes() {
        return foundBytes.sum();
    }

    public long aloneCount() {
        return alone.sum();
    }
}
