package org.heapspan.h2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Appends pieces to the open region of a label. Pieces gather in a buffer; when it is full they get their places, and the storage's thread
 * writes them (TeraHeap's promotion buffers). For one thread; several may append to a label at the same time, as places are given to
 * whole buffers.
 *
 * <p>A failure is final: what was not written stays readable in memory ({@link #read}, {@link #unplaced}).
 */
final class RegionWriter {
    /** For when there is no memory to say what was wrong; made before that. */
    @SuppressWarnings(
            "StaticAssignmentOfThrowable") // Nobody looks at its trace: who meets the failure throws it again as a new
    // one.
    private static final SecondHeapException UNTOLD = new SecondHeapException(
            Category.IO,
            "a write of the second heap failed, and the Java heap had no memory for the message; the objects stay on"
                    + " the Java heap. Give the Java heap more memory");

    private final Regions regions;
    private final StorageThread thread;
    private final LabelSpace space;

    private @Nullable ByteBuffer buffer;

    // The pieces in the buffer, one behind the other.
    private int count;
    private int[] lengths = new int[16];
    private int[] elements = new int[16];
    private long[] places = new long[16];
    private Residence[] targets = new Residence[16];

    private long acceptedBytes;

    // Guarded by this.
    private int queued;
    private @Nullable SecondHeapException failure;

    /** The latest write that failed, which leads to those before it: noting one must not need memory. */
    private @Nullable Write failed;

    RegionWriter(Regions regions, StorageThread thread, LabelSpace space) {
        this.regions = regions;
        this.thread = thread;
        this.space = space;
    }

    /** A piece that has no place. */
    record Unplaced(byte[] bytes, Residence target, int elements) {}

    /** Bytes that go to one region. */
    private final class Write implements Runnable {
        private final ByteBuffer bytes;
        private final long place;

        /** Of the region. Taken with the place: a region can be in use by others before this is written. */
        private final long use;

        /** What to give back when it is done, or null if that is still in use. */
        private final @Nullable ByteBuffer whole;

        private @Nullable Write failedBefore;

        Write(ByteBuffer bytes, long place, long use, @Nullable ByteBuffer whole) {
            this.bytes = bytes;
            this.place = place;
            this.use = use;
            this.whole = whole;
        }

        boolean has(long piece, int length) {
            return piece >= place && piece + length <= place + bytes.capacity();
        }

        @Override
        public void run() {
            try {
                regions.write(use, place, bytes.duplicate());
            } catch (IOException | RuntimeException | Error e) {
                ended(this, e);
                return;
            }
            ended(this, null);
        }
    }

    private void ended(Write write, @Nullable Throwable cause) {
        boolean free;
        synchronized (this) {
            try {
                queued--;
                if (cause != null) {
                    failed(write, cause);
                }
                free = failed == null;
            } finally {
                // Whatever happens: they wait without a limit.
                notifyAll();
            }
        }
        if (write.whole != null && free) {
            thread.giveBack(write.whole);
        }
    }

    /** Under the lock of this. All that needs memory comes last. */
    private void failed(Write write, Throwable cause) {
        write.failedBefore = failed;
        failed = write;
        if (failure == null) {
            failure = UNTOLD;
            failure = cause instanceof SecondHeapException known
                    ? known
                    : new SecondHeapException(
                            Category.IO,
                            "the second heap could not write " + write.bytes.capacity() + " bytes: "
                                    + cause.getMessage()
                                    + "; their objects stay on the Java heap. Free space on the device, or give the"
                                    + " second heap less capacity",
                            cause);
        }
    }

    /**
     * Adds a piece.
     *
     * @param bytes all between position and limit; may be changed afterwards
     * @param elementCount how many elements are in it
     * @param target learns its place, in the order of the pieces
     * @throws SecondHeapException if the capacity is used up or a write failed; the piece is not among what the heap has
     */
    void add(ByteBuffer bytes, int elementCount, Residence target) {
        checkIntact();
        int length = bytes.remaining();
        if (length > thread.bufferBytes()) {
            addLong(bytes, elementCount, target);
            acceptedBytes += length;
            return;
        }
        ByteBuffer open = buffer;
        if (open != null && open.remaining() < length) {
            flush();
            open = buffer;
        }
        if (open == null) {
            open = thread.takeBuffer();
            buffer = open;
        }
        if (count == lengths.length) {
            int room = 2 * count;
            lengths = Arrays.copyOf(lengths, room);
            elements = Arrays.copyOf(elements, room);
            places = Arrays.copyOf(places, room);
            targets = Arrays.copyOf(targets, room);
        }
        target.expectPiece();
        open.put(bytes);
        lengths[count] = length;
        elements[count] = elementCount;
        targets[count] = target;
        count++;
        acceptedBytes += length;
    }

    /** A piece that does not fit in a buffer: through several, and waiting until they are written. */
    private void addLong(ByteBuffer bytes, int elementCount, Residence target) {
        flush();
        target.expectPiece();
        int length = bytes.remaining();
        long place;
        if (length > regions.regionBytes()) {
            place = appendLong(length);
        } else {
            append(new int[] {length}, 0, 1, places);
            place = places[0];
        }
        boolean complete = false;
        try {
            writeLong(bytes, place);
            await();
            complete = true;
        } finally {
            if (!complete) {
                // Not before: whoever gets the regions next writes there, too.
                awaitQuietly();
                regions.release(new long[] {place}, new int[] {length}, 1);
            }
        }
        target.add(place, length, elementCount);
    }

    private void writeLong(ByteBuffer bytes, long place) {
        int length = bytes.remaining();
        long use = regions.useOf(place);
        for (int offset = 0; offset < length; ) {
            ByteBuffer part = thread.takeBuffer();
            int partLength = Math.min(part.remaining(), length - offset);
            part.put(bytes.slice(bytes.position() + offset, partLength)).flip();
            queue(new Write(part.slice(), place + offset, use, part));
            offset += partLength;
        }
    }

    /** As {@link Regions#append}, and makes room where there is none. */
    private int append(int[] allLengths, int from, int to, long[] allPlaces) {
        while (true) {
            try {
                return regions.append(space, allLengths, from, to, allPlaces);
            } catch (SecondHeapException e) {
                if (!regions.makeRoom()) {
                    throw e;
                }
            }
        }
    }

    /** As {@link Regions#appendLong}, and makes room where there is none. */
    private long appendLong(int length) {
        while (true) {
            try {
                return regions.appendLong(space, length);
            } catch (SecondHeapException e) {
                if (length > regions.mostPieceBytes() || !regions.makeRoom()) {
                    throw e;
                }
            }
        }
    }

    /**
     * Gives all pieces their places, and has them written some time later.
     *
     * @throws SecondHeapException if the capacity is used up
     */
    void flush() {
        checkIntact();
        ByteBuffer full = buffer;
        if (full == null || count == 0) {
            return;
        }
        int from = 0;
        int offset = 0;
        while (from < count) {
            int to = from;
            int bytes = 0;
            Write write;
            try {
                to = append(lengths, from, count, places);
                for (int i = from; i < to; i++) {
                    bytes += lengths[i];
                }
                // Writes are done in their order: with the last one the buffer is free.
                write = new Write(
                        full.slice(offset, bytes),
                        places[from],
                        regions.useOf(places[from]),
                        to == count ? full : null);
            } catch (RuntimeException | Error e) {
                // Who makes room may fail in any way.
                regions.release(places, lengths, from, to);
                keepFrom(full, from, offset);
                fail(e);
                throw e;
            }
            for (int i = from; i < to; i++) {
                targets[i].add(places[i], lengths[i], elements[i]);
            }
            try {
                queue(write);
            } catch (RuntimeException | Error e) {
                // These have a place; what cannot be written there is read from the write.
                try {
                    abandonAgain(from, to);
                } finally {
                    keepFrom(full, to, offset + bytes);
                }
                throw e;
            }
            // Not before the write is queued: writes of whoever gets the region next come after it.
            abandonAgain(from, to);
            offset += bytes;
            from = to;
        }
        buffer = null;
        count = 0;
        Arrays.fill(targets, null);
    }

    /** What got a place although nobody uses it. */
    private void abandonAgain(int from, int to) {
        for (int i = from; i < to; i++) {
            if (targets[i].isAbandoned()) {
                targets[i].abandon();
            }
        }
    }

    private void keepFrom(ByteBuffer full, int from, int offset) {
        ByteBuffer rest = full.duplicate().flip().position(offset).slice();
        buffer = rest.position(rest.limit());
        count -= from;
        System.arraycopy(lengths, from, lengths, 0, count);
        System.arraycopy(elements, from, elements, 0, count);
        System.arraycopy(targets, from, targets, 0, count);
    }

    private synchronized void fail(Throwable cause) {
        if (failure == null) {
            failure = UNTOLD;
            failure = cause instanceof SecondHeapException known
                    ? known
                    : new SecondHeapException(
                            Category.IO,
                            "no place could be found in the second heap: " + cause
                                    + "; what has none stays on the Java heap",
                            cause);
        }
    }

    private void queue(Write write) {
        synchronized (this) {
            queued++;
        }
        try {
            thread.write(write);
        } catch (RuntimeException | Error e) {
            // It will never run.
            ended(write, e);
            throw e;
        }
    }

    private synchronized void checkIntact() {
        if (failure != null) {
            throw failure.again();
        }
    }

    /**
     * Waits until all that has a place is written.
     *
     * @throws SecondHeapException if a write failed, or something before
     */
    void await() {
        awaitQuietly();
        checkIntact();
    }

    /** Waits until nothing is being written any more. */
    synchronized void awaitQuietly() {
        boolean interrupted = false;
        while (queued > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                // Regions must not be used again while somebody writes to them.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives up a buffer with pieces that have no place; after the last use of a writer that failed or whose work is not wanted. */
    void close() {
        ByteBuffer open = buffer;
        buffer = null;
        count = 0;
        if (open != null && open.capacity() == thread.bufferBytes() && failureOrNull() == null) {
            thread.giveBack(open);
        }
    }

    private synchronized @Nullable SecondHeapException failureOrNull() {
        return failure;
    }

    /** As {@link Regions#mostPieceBytes}. */
    long mostPieceBytes() {
        return regions.mostPieceBytes();
    }

    /** As {@link Regions#tooLong}. */
    SecondHeapException tooLong(long length) {
        return regions.tooLong(length);
    }

    /** Bytes of all pieces that were added. */
    long acceptedBytes() {
        return acceptedBytes;
    }

    /** Elements in pieces without a place. */
    long unplacedElements() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += elements[i];
        }
        return sum;
    }

    /** The pieces without a place, in their order. */
    List<Unplaced> unplaced() {
        List<Unplaced> all = new ArrayList<>();
        ByteBuffer open = buffer;
        int offset = 0;
        for (int i = 0; i < count && open != null; i++) {
            byte[] bytes = new byte[lengths[i]];
            open.get(offset, bytes);
            all.add(new Unplaced(bytes, targets[i], elements[i]));
            offset += lengths[i];
        }
        return all;
    }

    /** Copies a piece that has a place, from the storage or what could not be written there; when nothing is being written. */
    void read(long place, int length, byte[] target) {
        for (Write write = latestFailed(); write != null; write = write.failedBefore) {
            if (write.has(place, length)) {
                write.bytes.get((int) (place - write.place), target, 0, length);
                return;
            }
        }
        regions.read(place, length, target);
    }

    private synchronized @Nullable Write latestFailed() {
        return failed;
    }
}
