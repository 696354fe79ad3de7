package org.heapspan.nativerdd;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.heapspan.vm.RawMemory;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside of the Java heap that holds a batch of a native program. Counts its references: it begins with one, and the last {@link #close} frees
 * the memory. If that is forgotten, the garbage collector does it, but later. The contents do not change once others know of the batch; the methods
 * that fill it are for whoever makes it.
 */
public final class NativeBatch implements AutoCloseable {
    /** Copies between the heap and native memory go in steps of this size. Blocks of shuffles contain batches in such pieces. */
    private static final int STEP_BYTES = 64 << 10;

    private static final Cleaner CLEANER = Cleaner.create();
    private static final AtomicLong OPEN_BYTES = new AtomicLong();

    private final long address;
    private long sizeBytes;
    private final AtomicInteger references = new AtomicInteger(1);
    private final Cleaner.Cleanable memory;

    private NativeBatch(long address, long sizeBytes) {
        this.address = address;
        this.sizeBytes = sizeBytes;
        OPEN_BYTES.addAndGet(sizeBytes);
        memory = CLEANER.register(this, new Memory(address, sizeBytes));
    }

    private record Memory(long address, long sizeBytes) implements Runnable {
        @Override
        public void run() {
            BoundaryLibrary.free(address);
            OPEN_BYTES.addAndGet(-sizeBytes);
        }
    }

    /**
     * Takes over memory that a program allocated.
     *
     * @param address from {@code malloc}
     * @param sizeBytes its size
     * @return its owner
     */
    public static NativeBatch adopt(long address, long sizeBytes) {
        return new NativeBatch(address, sizeBytes);
    }

    /**
     * Allocates memory, whose contents are undefined.
     *
     * @param sizeBytes its size, 0 or more
     * @return its owner
     * @throws NativeProgramException if the system has no memory
     */
    public static NativeBatch allocate(long sizeBytes) {
        // An address that is not 0 also for nothing.
        long address = BoundaryLibrary.allocate(Math.max(sizeBytes, 1));
        if (address == 0) {
            throw new NativeProgramException("the system has no memory for a batch of " + sizeBytes
                    + " bytes; give the container more memory outside of the Java heap, or use more partitions");
        }
        return new NativeBatch(address, sizeBytes);
    }

    /**
     * Copies bytes.
     *
     * @param bytes all of them
     * @return a batch with their contents
     */
    public static NativeBatch copyOf(byte[] bytes) {
        NativeBatch batch = allocate(bytes.length);
        batch.put(0, bytes, 0, bytes.length);
        return batch;
    }

    /**
     * Copies memory that belongs to somebody else.
     *
     * @param address of the memory
     * @param sizeBytes its size
     * @return its contents
     * @throws NativeProgramException if there is more than a Java array can hold
     */
    public static byte[] bytesAt(long address, long sizeBytes) {
        if (sizeBytes > Integer.MAX_VALUE - 16) {
            throw new NativeProgramException("a batch has " + sizeBytes
                    + " bytes, and this way only 2 GB are possible; use more partitions, or smaller records");
        }
        byte[] bytes = new byte[(int) sizeBytes];
        copyOut(address, bytes, 0, bytes.length);
        return bytes;
    }

    /**
     * Writes memory that belongs to somebody else to a stream.
     *
     * @param address of the memory
     * @param sizeBytes its size
     * @param target gets the bytes
     * @throws IOException if the stream fails
     */
    public static void write(long address, long sizeBytes, OutputStream target) throws IOException {
        byte[] step = new byte[(int) Math.min(STEP_BYTES, sizeBytes)];
        for (long done = 0; done < sizeBytes; ) {
            int length = (int) Math.min(step.length, sizeBytes - done);
            copyOut(address + done, step, 0, length);
            target.write(step, 0, length);
            done += length;
        }
    }

    /**
     * Writes memory that belongs to somebody else to a stream that compresses: the first bytes of all numbers of a buffer, then the second bytes and so
     * on, for each piece of 64 KB.
     *
     * @param address of a batch
     * @param sizeBytes its size
     * @param target gets as many bytes, for {@link #readPlanes}
     * @throws IOException if the stream fails
     */
    public static void writePlanes(long address, long sizeBytes, OutputStream target) throws IOException {
        byte[] step = new byte[(int) Math.min(STEP_BYTES, sizeBytes)];
        for (long done = 0; done < sizeBytes; ) {
            int length = (int) Math.min(step.length, sizeBytes - done);
            if (!BoundaryLibrary.toPlanes(address, sizeBytes, done, step, length)) {
                throw new OutOfMemoryError("the JVM gives no access to an array");
            }
            target.write(step, 0, length);
            done += length;
        }
    }

    /**
     * Fills memory that belongs to somebody else with what {@link #writePlanes} has written. Of damaged bytes, it makes a damaged batch.
     *
     * @param address of the memory
     * @param sizeBytes its size
     * @param source has at least as many bytes
     * @throws EOFException if it has fewer
     * @throws IOException if the stream fails
     */
    public static void readPlanes(long address, long sizeBytes, InputStream source) throws IOException {
        byte[] step = new byte[(int) Math.min(STEP_BYTES, sizeBytes)];
        for (long done = 0; done < sizeBytes; ) {
            int length = (int) Math.min(step.length, sizeBytes - done);
            int found = source.readNBytes(step, 0, length);
            if (found < length) {
                throw endsAfter(done + found, sizeBytes);
            }
            if (!BoundaryLibrary.fromPlanes(address, sizeBytes, done, step, length)) {
                throw new OutOfMemoryError("the JVM gives no access to an array");
            }
            done += length;
        }
    }

    private static EOFException endsAfter(long found, long sizeBytes) {
        return new EOFException(
                "the data end after " + found + " of " + sizeBytes + " bytes of a batch; they are damaged");
    }

    /**
     * Fills memory that belongs to somebody else from a stream.
     *
     * @param address of the memory
     * @param sizeBytes its size
     * @param source has at least as many bytes
     * @throws EOFException if it has fewer
     * @throws IOException if the stream fails
     */
    public static void read(long address, long sizeBytes, InputStream source) throws IOException {
        byte[] step = new byte[(int) Math.min(STEP_BYTES, sizeBytes)];
        for (long done = 0; done < sizeBytes; ) {
            int length = source.read(step, 0, (int) Math.min(step.length, sizeBytes - done));
            if (length < 0) {
                throw endsAfter(done, sizeBytes);
            }
            copyIn(step, 0, address + done, length);
            done += length;
        }
    }

    /**
     * Where the memory is.
     *
     * @return absolute
     * @throws IllegalStateException if the batch is closed
     */
    public long address() {
        if (references.get() <= 0) {
            throw new IllegalStateException("the batch is closed");
        }
        return address;
    }

    /**
     * The size.
     *
     * @return bytes
     */
    public long sizeBytes() {
        return sizeBytes;
    }

    /**
     * Adds a reference.
     *
     * @return this batch, to be closed once more
     * @throws IllegalStateException if the batch is closed
     */
    public NativeBatch retain() {
        if (references.getAndUpdate(count -> count <= 0 ? count : count + 1) <= 0) {
            throw new IllegalStateException("the batch is closed");
        }
        return this;
    }

    /**
     * Leaves out the end. For whoever makes the batch, before others know of it.
     *
     * @param newSizeBytes not more than the size
     * @return this batch
     */
    public NativeBatch shrinkTo(long newSizeBytes) {
        if (newSizeBytes < 0 || newSizeBytes > sizeBytes) {
            throw new IndexOutOfBoundsException(newSizeBytes + " of " + sizeBytes + " bytes");
        }
        sizeBytes = newSizeBytes;
        return this;
    }

    /** Drops a reference, and frees the memory with the last one. */
    @Override
    public void close() {
        if (references.getAndUpdate(count -> count <= 0 ? count : count - 1) == 1) {
            memory.clean();
        }
    }

    /**
     * Fills a part.
     *
     * @param offset in this batch, in bytes
     * @param bytes the source
     * @param from where it begins there
     * @param length how many
     */
    public void put(long offset, byte[] bytes, int from, int length) {
        if (offset < 0 || offset > sizeBytes - length) {
            throw new IndexOutOfBoundsException(length + " bytes at " + offset + " of " + sizeBytes);
        }
        java.util.Objects.checkFromIndexSize(from, length, bytes.length);
        copyIn(bytes, from, address() + offset, length);
    }

    /**
     * A view of a part, valid until the batch is closed.
     *
     * @param offset in this batch, in bytes
     * @param length its size
     * @return a view for reading and writing
     */
    public ByteBuffer buffer(long offset, int length) {
        if (offset < 0 || length < 0 || offset > sizeBytes - length) {
            throw new IndexOutOfBoundsException(length + " bytes at " + offset + " of " + sizeBytes);
        }
        return BoundaryLibrary.buffer(address() + offset, length);
    }

    /**
     * How much memory batches hold in this JVM.
     *
     * @return bytes of all batches that are not closed
     */
    public static long openBytes() {
        return OPEN_BYTES.get();
    }

    private static void copyOut(long address, byte[] target, int offset, int length) {
        memory().copyMemory(null, address, target, arrayBase() + offset, length);
    }

    private static void copyIn(byte[] source, int offset, long address, int length) {
        memory().copyMemory(source, arrayBase() + offset, null, address, length);
    }

    private static RawMemory memory() {
        return Memories.MEMORY;
    }

    private static int arrayBase() {
        return Memories.ARRAY_BASE;
    }

    /** Set when the first batch is made: that loads the native library, without which there is no memory. */
    private static final class Memories {
        static final RawMemory MEMORY = required(VirtualMachine.current().memory());
        static final int ARRAY_BASE = MEMORY.arrayBaseOffset(byte[].class);

        private Memories() {}

        private static RawMemory required(@Nullable RawMemory memory) {
            if (memory == null) {
                throw new NativeProgramException("native programs need access to memory, which this JVM does not give;"
                        + " `heapspan doctor` says why");
            }
            return memory;
        }
    }
}
