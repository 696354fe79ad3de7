package org.heapspan.h2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Storage in memory that fails when it is told to, as a full disk does. */
final class FailingStorage implements Storage {
    /** Writes before this one go well. */
    final AtomicInteger failingWrite = new AtomicInteger(Integer.MAX_VALUE);

    final AtomicInteger writes = new AtomicInteger();
    final AtomicLong discards = new AtomicLong();
    final AtomicInteger closed = new AtomicInteger();

    /** What a write fails with, instead of a full disk. */
    volatile IOException failure;

    /** What giving back the space of a segment fails with, if with anything. */
    volatile Error discardFailure;

    /** How many reads go well before one fails as on a broken device, and those after it go well again. */
    final AtomicInteger readsBeforeFailure = new AtomicInteger(Integer.MAX_VALUE);

    /** Whether what was written seems to be on the device only. */
    volatile boolean onDevice;

    /** The parts whose space was given back. */
    final List<Range> holes = new CopyOnWriteArrayList<>();

    /** Whether the file system can give back the space of parts. */
    volatile boolean knowsHoles = true;

    /** What giving back the space of a part fails with, if with anything. */
    volatile IOException holeFailure;

    /** What giving back the space of one part fails with, if with anything. */
    final AtomicReference<Error> holeError = new AtomicReference<>();

    /** What was loaded ahead. */
    final List<Range> loads = new CopyOnWriteArrayList<>();

    /** What loading ahead fails with, if with anything. */
    volatile Error loadFailure;

    record Range(long offset, int length) {}

    /** Whether only the one write fails, and not those after it. */
    volatile boolean once;

    @Override
    public Segment create(long sizeBytes) {
        return new Memory((int) sizeBytes);
    }

    private final class Memory implements Segment {
        private final ByteBuffer bytes;

        Memory(int sizeBytes) {
            bytes = ByteBuffer.allocateDirect(sizeBytes);
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            int write = writes.getAndIncrement();
            int failing = failingWrite.get();
            if (once ? write == failing : write >= failing) {
                // A part of it arrives, as it may.
                bytes.put((int) offset, source.slice(0, source.remaining() / 2), 0, source.remaining() / 2);
                throw failure != null ? failure : new IOException("No space left on device");
            }
            bytes.put((int) offset, source, source.position(), source.remaining());
        }

        @Override
        public ByteBuffer mapped() {
            if (readsBeforeFailure.getAndDecrement() == 0) {
                throw new InternalError("a fault occurred in an unsafe memory access operation");
            }
            return bytes.asReadOnlyBuffer();
        }

        @Override
        public boolean isResident(long offset) {
            return !onDevice;
        }

        @Override
        public void load(long offset, int length) {
            loads.add(new Range(offset, length));
            if (loadFailure != null) {
                throw loadFailure;
            }
        }

        @Override
        public void discard() {
            discards.incrementAndGet();
            if (discardFailure != null) {
                throw discardFailure;
            }
            for (int i = 0; i < bytes.capacity(); i++) {
                bytes.put(i, (byte) 0xEE);
            }
        }

        @Override
        public boolean giveBack(long offset, int length) throws IOException {
            holes.add(new Range(offset, length));
            for (int i = 0; i < length; i++) {
                bytes.put((int) offset + i, (byte) 0);
            }
            Error error = holeError.getAndSet(null);
            if (error != null) {
                throw error;
            }
            if (holeFailure != null) {
                throw holeFailure;
            }
            return knowsHoles;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }
}
