package org.heapspan.h2;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import org.jspecify.annotations.Nullable;

/**
 * Moves tagged roots when live objects fill the old generation (TeraHeap section 3.2): above the high threshold labels move, oldest first,
 * until no more than the low one would be left. What an image takes is about what its objects took.
 *
 * <p>The JVM tells of it after a collection ({@link MemoryPoolMXBean#setCollectionUsageThreshold}). Thresholds belong to the pool and are
 * shared: a lower one that somebody has set is left as it is. G1 before JDK 20 tells after mixed and full collections only
 * ({@code g1MonitoringSupport.cpp}), and a heap that fills with live objects has no mixed ones: there each collection is a reason to look, and
 * what is in the old generation counts, garbage included, of which marking leaves little at such a level. The threshold of use would not do: the JVM
 * tells when it is crossed and not again while more is used ({@code lowMemoryDetector.cpp}), which may be at somebody's lower one.
 *
 * <p>Moving is done by a thread of its own, as those that tell must not wait.
 */
final class PressureMonitor implements NotificationListener, AutoCloseable {
    private final SecondHeap heap;
    private final MemoryPoolMXBean pool;
    private final boolean countsGarbage;
    private final List<NotificationEmitter> emitters;
    private final double high;
    private final double low;
    private final Semaphore signals = new Semaphore(0);
    private final Thread thread;
    private volatile boolean above;
    private volatile boolean closed;

    /** Why the latest attempt has failed, unless it has been taken; or null. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    // Guarded by this: what the latest collection left, and what has moved since.
    private long usedBytes;
    private long movedBytes;
    private boolean failureLogged;

    private PressureMonitor(SecondHeap heap, SecondHeapOptions options, MemoryPoolMXBean pool) {
        this.heap = heap;
        this.pool = pool;
        countsGarbage = pool.getName().startsWith("G1") && Runtime.version().feature() < 20;
        emitters = countsGarbage
                ? ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .filter(NotificationEmitter.class::isInstance)
                        .map(NotificationEmitter.class::cast)
                        .toList()
                : List.of((NotificationEmitter) ManagementFactory.getMemoryMXBean());
        high = options.highThreshold();
        low = options.lowThreshold();
        thread = new Thread(this::run, "heapspan-h2-pressure");
        thread.setDaemon(true);
    }

    /** Begins; null if the options want none, or the collector has no old generation that can be watched. */
    static @Nullable PressureMonitor start(SecondHeap heap, SecondHeapOptions options) {
        MemoryPoolMXBean pool = options.highThreshold() > 0 ? oldGeneration() : null;
        if (pool == null) {
            return null;
        }
        PressureMonitor monitor = new PressureMonitor(heap, options, pool);
        long threshold = (long) (options.highThreshold() * maxBytes(pool.getUsage()));
        // Before the threshold is set: if there is too much already the JVM tells of it at once, and then not again.
        monitor.emitters.forEach(emitter -> emitter.addNotificationListener(monitor, null, null));
        if (!monitor.countsGarbage) {
            long before = pool.getCollectionUsageThreshold();
            pool.setCollectionUsageThreshold(before == 0 ? threshold : Math.min(before, threshold));
        }
        monitor.thread.start();
        return monitor;
    }

    /** "G1 Old Gen", "PS Old Gen", "Tenured Gen", "ZGC Old Generation": the name is all that tells old from young. */
    private static @Nullable MemoryPoolMXBean oldGeneration() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            String name = pool.getName();
            if (pool.getType() == MemoryType.HEAP
                    && (name.contains("Old Gen") || name.contains("Tenured"))
                    && pool.isCollectionUsageThresholdSupported()) {
                return pool;
            }
        }
        return null;
    }

    private static long maxBytes(MemoryUsage usage) {
        return usage.getMax() > 0 ? usage.getMax() : Runtime.getRuntime().maxMemory();
    }

    @Override
    public void handleNotification(Notification notification, @Nullable Object handback) {
        boolean tooMuch = countsGarbage
                ? isTooMuch(pool.getUsage())
                : MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED.equals(notification.getType());
        if (tooMuch) {
            above = true;
            signals.release();
        }
    }

    /**
     * A root was tagged. While there is too much, who tags more helps to move: TeraHeap's collector makes them wait, too. Within an update
     * nobody can, as moves wait for updates.
     */
    void tagged() {
        if (!above) {
            return;
        }
        if (UpdateScope.isEntered()) {
            signals.release();
        } else {
            relieve();
        }
    }

    private void run() {
        while (true) {
            signals.acquireUninterruptibly();
            signals.drainPermits();
            if (closed) {
                return;
            }
            relieve();
        }
    }

    private synchronized void relieve() {
        try {
            moveExcess();
            failure.set(null);
        } catch (RuntimeException | Error e) {
            // What could not move is tagged and on the Java heap; the next collection that leaves too much tries again.
            // This thread has to be there then, and whoever else helps to move has only tagged a root.
            above = false;
            failure.set(closed ? null : e);
            if (!closed && !failureLogged) {
                failureLogged = true;
                StorageThread.logQuietly(
                        "tagged roots could not be moved, although the old generation is full; this message is logged"
                                + " once",
                        e);
            }
        }
    }

    /** As {@link SecondHeap#takeMoveFailure}. */
    @Nullable
    Throwable takeFailure() {
        return failure.get() == null ? null : failure.getAndSet(null);
    }

    private boolean isTooMuch(@Nullable MemoryUsage usage) {
        return usage != null && usage.getUsed() >= high * maxBytes(usage);
    }

    private void moveExcess() {
        MemoryUsage usage = countsGarbage ? pool.getUsage() : pool.getCollectionUsage();
        if (!isTooMuch(usage)) {
            above = false;
            return;
        }
        // What has moved since that collection is gone with the next; where garbage counts, with the next that takes
        // any from there.
        if (countsGarbage ? usage.getUsed() < usedBytes : usage.getUsed() != usedBytes) {
            movedBytes = 0;
        }
        usedBytes = usage.getUsed();
        long goalBytes = (long) (low * maxBytes(usage));
        Label before = null;
        while (usedBytes - movedBytes > goalBytes && !closed) {
            Label oldest = heap.oldestTagged();
            // Twice the same: its roots are being updated, or others of it tagged, faster than they move. Whoever tags
            // more goes on.
            if (oldest == null || oldest.equals(before)) {
                return;
            }
            before = oldest;
            movedBytes += heap.move(oldest).imageBytes();
        }
        above = false;
    }

    @Override
    public void close() {
        closed = true;
        signals.release();
        for (NotificationEmitter emitter : emitters) {
            try {
                emitter.removeNotificationListener(this);
            } catch (ListenerNotFoundException e) {
                throw new IllegalStateException("the monitor of a second heap was no listener any more", e);
            }
        }
    }
}
