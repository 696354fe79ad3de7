package org.heapspan.h2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The segments by their numbers, made when they are first written to. All that changes them happens on the thread of the storage: an interrupt
 * of a thread within a call of a {@code FileChannel} closes it, and callers' threads may be interrupted at any time. Reading goes through
 * the mappings, from any thread, and only where a write has ended well.
 */
final class SegmentFiles {
    private final Storage storage;
    private final StorageThread thread;
    private final long segmentBytes;
    private final AtomicReferenceArray<Storage.@Nullable Segment> segments;

    SegmentFiles(Storage storage, StorageThread thread, int segmentCount, long segmentBytes) {
        this.storage = storage;
        this.thread = thread;
        this.segmentBytes = segmentBytes;
        segments = new AtomicReferenceArray<>(segmentCount);
    }

    /** Writes, on the thread of the storage. */
    void write(int segment, long offset, ByteBuffer bytes) throws IOException {
        Storage.Segment open = segments.get(segment);
        if (open == null) {
            open = storage.create(segmentBytes);
            segments.set(segment, open);
        }
        open.write(bytes, offset);
    }

    /** Reads what was written. */
    void read(int segment, long offset, int length, byte[] target) {
        Storage.Segment open = segments.get(segment);
        if (open == null) {
            throw new IllegalStateException("segment " + segment + " has never been written to");
        }
        try {
            open.mapped().get((int) offset, target, 0, length);
        } catch (InternalError e) {
            throw DeviceFault.asFailure(
                    e, length + " bytes at " + offset + " of segment " + segment + " of the second heap");
        }
    }

    /** Whether a byte is in memory. */
    boolean isResident(int segment, long offset) {
        Storage.Segment open = segments.get(segment);
        return open == null || open.isResident(offset);
    }

    /** Waits until bytes are in memory. */
    void load(int segment, long offset, int length) {
        Storage.Segment open = segments.get(segment);
        if (open != null) {
            open.load(offset, length);
        }
    }

    /**
     * Gives the space of a segment back, some time later.
     *
     * @param then runs after that, whether it went well or not
     */
    void discard(int segment, Runnable then) {
        boolean accepted = false;
        try {
            accepted = thread.later(() -> {
                try {
                    discardNow(segment);
                } finally {
                    then.run();
                }
            });
        } finally {
            if (!accepted) {
                then.run();
            }
        }
    }

    private void discardNow(int segment) {
        Storage.Segment open = segments.get(segment);
        if (open == null) {
            return;
        }
        try {
            open.discard();
        } catch (IOException | RuntimeException | Error e) {
            // A new file will do.
            segments.set(segment, null);
            open.close();
        }
    }

    /**
     * Gives the space of a part of a segment back, on the thread of the storage: what is written there by whoever gets the part next comes after
     * it.
     *
     * @return false if there is no use in trying again
     */
    boolean giveBackNow(int segment, long offset, int length) {
        Storage.Segment open = segments.get(segment);
        try {
            return open == null || open.giveBack(offset, length);
        } catch (IOException e) {
            // It takes space that nobody needs; the next write there does not mind.
            return true;
        }
    }

    /**
     * Does something on the thread of the storage, after all that is queued.
     *
     * @return false if the heap has been closed
     */
    boolean later(Runnable task) {
        return thread.later(task);
    }

    /** Closes the files, on the thread of the storage; what is mapped remains readable. */
    void close() {
        for (int i = 0; i < segments.length(); i++) {
            Storage.Segment open = segments.get(i);
            if (open != null) {
                open.close();
            }
        }
    }
}
