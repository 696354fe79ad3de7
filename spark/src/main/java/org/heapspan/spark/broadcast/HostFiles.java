package org.heapspan.spark.broadcast;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.apache.spark.SparkEnv;
import org.apache.spark.heapspan.HostBytes;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.heapspan.spark.settings.HeapspanLog;
import org.heapspan.spark.statistics.SharedBroadcasts;
import org.heapspan.vm.Upkeep;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of broadcasts in a {@link SharingFolder}, for one executor. The first one that needs a broadcast fetches and stores it, and the others
 * wait for that. An executor holds a file as long as it has the broadcast, but not longer than a minute after it has read it: the value is on its
 * heap then, and the memory of the file is worth more.
 */
final class HostFiles implements HostBytes, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private static final long SWEEP_MILLIS = 5_000;
    private static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** How long an executor waits for another one that fetches. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long STEP_MILLIS = 10;

    private final SharingFolder folder;
    private final LongPredicate isBroadcastHere;
    private final SharedBroadcasts counters;
    private final Map<Long, Held> held = new HashMap<>();
    private final Upkeep sweeping;
    private boolean closed;

    /** A file that this executor has locked. */
    private static final class Held {
        final FileChannel channel;
        int readers;
        long usedNanos;

        Held(FileChannel channel) {
            this.channel = channel;
        }
    }

    /**
     * Begins with nothing.
     *
     * @param isBroadcastHere whether this executor has the value of a broadcast
     */
    HostFiles(SharingFolder folder, LongPredicate isBroadcastHere, SharedBroadcasts counters) {
        this(folder, isBroadcastHere, counters, SWEEP_MILLIS);
    }

    /** With another pause between sweeps. */
    HostFiles(SharingFolder folder, LongPredicate isBroadcastHere, SharedBroadcasts counters, long sweepMillis) {
        this.folder = folder;
        this.isBroadcastHere = isBroadcastHere;
        this.counters = counters;
        sweeping = new Upkeep(
                "heapspan-broadcasts",
                sweepMillis,
                this::sweep,
                failure ->
                        LOG.debug("Broadcasts in {} could not be swept, which is tried again", folder.path(), failure));
    }

    /** Lets a daemon thread drop what is not needed any more. */
    void startSweeping() {
        sweeping.start();
    }

    /** Drops what is not needed any more. */
    synchronized void sweep() {
        if (closed) {
            return;
        }
        long now = System.nanoTime();
        held.entrySet().removeIf(each -> {
            Held file = each.getValue();
            boolean dropped =
                    file.readers == 0 && (now - file.usedNanos > HOLD_NANOS || !isBroadcastHere.test(each.getKey()));
            if (dropped) {
                folder.release(each.getKey(), file.channel);
            }
            return dropped;
        });
        folder.sweep(Set.copyOf(held.keySet()));
    }

    @Override
    public @Nullable List<MappedByteBuffer> open(long broadcast, Content content) throws IOException {
        Held file = taken(broadcast);
        if (file == null) {
            FileChannel channel = found(broadcast, content);
            if (channel == null) {
                counters.alone();
                return null;
            }
            file = take(broadcast, channel);
        }
        boolean mapped = false;
        try {
            List<MappedByteBuffer> buffers = map(file.channel);
            mapped = true;
            return buffers;
        } finally {
            if (!mapped) {
                drop(broadcast, file);
            }
        }
    }

    private synchronized @Nullable Held taken(long broadcast) {
        Held file = held.get(broadcast);
        if (file != null) {
            file.readers++;
        }
        return file;
    }

    private synchronized Held take(long broadcast, FileChannel channel) {
        Held file = new Held(channel);
        file.readers = 1;
        held.put(broadcast, file);
        return file;
    }

    /** Gives back a file that could not be mapped. An interrupt of the thread has closed the channel, which is of no use to others then. */
    private synchronized void drop(long broadcast, Held file) {
        if (--file.readers == 0 && held.remove(broadcast, file)) {
            folder.release(broadcast, file.channel);
        }
    }

    /** Finds a file, or makes it, or waits for it; null if this executor shall do without. */
    private @Nullable FileChannel found(long broadcast, Content content) throws IOException {
        long begin = System.nanoTime();
        boolean checked = false;
        while (true) {
            FileChannel channel = folder.find(broadcast);
            if (channel != null) {
                counters.found(channel.size());
                return channel;
            }
            if (folder.hasFailed(broadcast) || !checked && !folder.hasOthers()) {
                return null;
            }
            checked = true;
            try (SharingFolder.Turn turn = folder.tryTurn(broadcast)) {
                if (turn != null) {
                    FileChannel meanwhile = folder.find(broadcast);
                    return meanwhile == null ? stored(broadcast, content) : meanwhile;
                }
            }
            if (System.nanoTime() - begin > WAIT_NANOS) {
                LOG.info(
                        "Heapspan: another executor has not stored broadcast {} in time, this one reads it", broadcast);
                return null;
            }
            try {
                Thread.sleep(STEP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
    }

    private @Nullable FileChannel stored(long broadcast, Content content) throws IOException {
        try {
            counters.stored(folder.write(broadcast, content));
        } catch (Throwable e) {
            // A task that is killed says nothing about the folder: the next executor stores the bytes.
            if (!isInterrupt(e)) {
                folder.markFailed(broadcast);
            }
            throw e;
        }
        return folder.find(broadcast);
    }

    /** Whether something failed because its thread was interrupted, with or without a trace of that in the thread. */
    private static boolean isInterrupt(Throwable failure) {
        boolean isInterrupt = Thread.currentThread().isInterrupted();
        for (Throwable cause = failure; cause != null && !isInterrupt; cause = cause.getCause()) {
            isInterrupt = cause instanceof InterruptedException || cause instanceof ClosedByInterruptException;
        }
        return isInterrupt;
    }

    private static List<MappedByteBuffer> map(FileChannel channel) throws IOException {
        List<MappedByteBuffer> buffers = new ArrayList<>();
        long size = channel.size();
        for (long at = 0; at < size; at += Integer.MAX_VALUE) {
            buffers.add(channel.map(MapMode.READ_ONLY, at, Math.min(size - at, Integer.MAX_VALUE)));
        }
        return buffers;
    }

    @Override
    public DeserializationStream stream(List<? extends ByteBuffer> bytes) {
        ByteBuffer[] mapped = bytes.toArray(ByteBuffer[]::new);
        return SparkEnv.get()
                .serializer()
                .newInstance()
                .deserializeStream(new ChunkedByteBuffer(mapped).toInputStream(false));
    }

    @Override
    public synchronized void close(long broadcast) {
        Held file = held.get(broadcast);
        if (file != null) {
            file.readers--;
            file.usedNanos = System.nanoTime();
        }
    }

    @Override
    public void failed(long broadcast, Throwable cause) {
        if (isInterrupt(cause)) {
            // Spark's own way comes next, and must end too.
            Thread.currentThread().interrupt();
        } else {
            counters.failed(broadcast, folder.path(), cause);
        }
    }

    /** Drops all files. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        sweeping.end();
        held.forEach((broadcast, file) -> folder.release(broadcast, file.channel));
        held.clear();
        folder.close();
    }
}
