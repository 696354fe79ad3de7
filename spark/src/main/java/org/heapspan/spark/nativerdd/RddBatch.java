package org.heapspan.spark.nativerdd;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoSerializable;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.Externalizable;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.util.KnownSizeEstimation;
import org.heapspan.nativerdd.NativeBatch;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * An element of the RDDs of native programs: a batch, and the persisted partition that it belongs to, if there is one. Spark asks it for its size, and
 * every serializer of Spark writes its bytes.
 *
 * <p>Owns a reference to its memory until {@link #close}. Thread-safe.
 */
public final class RddBatch implements KnownSizeEstimation, Externalizable, KryoSerializable, AutoCloseable {
    private static final long serialVersionUID = 1L;

    /** For Spark's generic methods. */
    static final ClassTag<RddBatch> TAG = ClassTag$.MODULE$.apply(RddBatch.class);

    /** What an object of this class takes in the heap, with what belongs to it; an estimate. */
    private static final long HEAP_BYTES = 160;

    /** The RDD that keeps it, or -1. */
    private int homeRdd = -1;

    private int homePartition = -1;
    private transient @Nullable NativeBatch memory;

    /** The contents, if they are in the Java heap. */
    private byte @Nullable [] heapBytes;

    private final AtomicBoolean owned = new AtomicBoolean(true);
    private final AtomicBoolean adopted = new AtomicBoolean();
    private volatile boolean written;

    /** For serializers, which read the contents. */
    public RddBatch() {}

    RddBatch(NativeBatch memory) {
        this.memory = memory;
    }

    /**
     * Moves a batch into the Java heap: for the comparison with strawman B of the paper on Chukonu (section 6.3), which keeps all batches there. Such a
     * batch has no memory. Whoever takes it gets a copy outside of the heap.
     */
    static RddBatch onHeap(NativeBatch memory) {
        RddBatch batch = new RddBatch();
        batch.heapBytes = NativeBatch.bytesAt(memory.address(), memory.sizeBytes());
        memory.close();
        return batch;
    }

    boolean isOnHeap() {
        return heapBytes != null;
    }

    /** A copy outside of the Java heap if the contents are in it, else null. */
    @Nullable
    RddBatch fromHeap() {
        byte[] bytes = heapBytes;
        return bytes == null ? null : new RddBatch(NativeBatch.copyOf(bytes));
    }

    /** Another owner of the same memory, for a partition that is kept. */
    RddBatch keptIn(int rdd, int partition) {
        RddBatch kept = heapBytes == null ? new RddBatch(memory().retain()) : new RddBatch();
        kept.heapBytes = heapBytes;
        kept.homeRdd = rdd;
        kept.homePartition = partition;
        return kept;
    }

    NativeBatch memory() {
        NativeBatch present = memory;
        if (present == null) {
            throw new IllegalStateException("the batch has not been read");
        }
        return present;
    }

    /** Whether a partition that is kept has this batch, as far as it is kept. */
    boolean hasHome() {
        return homeRdd >= 0;
    }

    Home home() {
        return new Home(homeRdd, homePartition);
    }

    /**
     * A partition that is kept.
     *
     * @param rdd its RDD
     * @param partition its number
     */
    record Home(int rdd, int partition) {}

    /** True once: for whoever drops the owner's reference when the partition is not kept any more. */
    boolean adopt() {
        return adopted.compareAndSet(false, true);
    }

    /** Whether a serializer of Spark has written it. */
    boolean isWritten() {
        return written;
    }

    /** Drops the owner's reference. Tasks that have the batch on loan keep it until they give it back. */
    @Override
    public void close() {
        if (owned.compareAndSet(true, false) && heapBytes == null) {
            memory().close();
        }
    }

    @Override
    public long estimatedSize() {
        return HEAP_BYTES + sizeBytes();
    }

    private long sizeBytes() {
        byte[] bytes = heapBytes;
        return bytes == null ? memory().sizeBytes() : bytes.length;
    }

    void writeTo(OutputStream target) throws IOException {
        byte[] bytes = heapBytes;
        if (bytes == null) {
            NativeBatch.write(memory().address(), memory().sizeBytes(), target);
        } else {
            target.write(bytes, 0, bytes.length);
        }
    }

    @Override
    public void writeExternal(ObjectOutput out) throws IOException {
        out.writeInt(homeRdd);
        out.writeInt(homePartition);
        out.writeLong(sizeBytes());
        writeTo(new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                out.write(one);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }
        });
        written = true;
    }

    @Override
    public void readExternal(ObjectInput in) throws IOException {
        homeRdd = in.readInt();
        homePartition = in.readInt();
        memory = read(in.readLong(), new InputStream() {
            @Override
            public int read() throws IOException {
                return in.read();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return in.read(bytes, offset, length);
            }
        });
    }

    @Override
    public void write(Kryo kryo, Output output) {
        output.writeInt(homeRdd);
        output.writeInt(homePartition);
        output.writeLong(sizeBytes());
        try {
            writeTo(output);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        written = true;
    }

    @Override
    public void read(Kryo kryo, Input input) {
        homeRdd = input.readInt();
        homePartition = input.readInt();
        try {
            memory = read(input.readLong(), input);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Fills memory from a stream. */
    interface Filling {
        void fill(long address, long sizeBytes, InputStream source) throws IOException;
    }

    private static NativeBatch read(long sizeBytes, InputStream source) throws IOException {
        return read(sizeBytes, source, NativeBatch::read);
    }

    /** Reads a batch of a known size. */
    static NativeBatch read(long sizeBytes, InputStream source, Filling filling) throws IOException {
        if (sizeBytes < 0) {
            throw new IOException("a batch of a native program has the size " + sizeBytes + "; the data are damaged");
        }
        NativeBatch read = NativeBatch.allocate(sizeBytes);
        try {
            filling.fill(read.address(), sizeBytes, source);
        } catch (Throwable e) {
            read.close();
            throw e;
        }
        return read;
    }
}
