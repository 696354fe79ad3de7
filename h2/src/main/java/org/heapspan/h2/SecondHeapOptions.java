package org.heapspan.h2;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanBuilder;
import org.heapspan.Mode;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link SecondHeap}. Immutable: each {@code with} method returns another object.
 *
 * <p>{@code SecondHeapOptions.capacity(64L << 30).withRegionBytes(32 << 20)}
 */
public final class SecondHeapOptions {
    /** Regions are at least this long, in bytes. */
    public static final int LEAST_REGION_BYTES = 1 << 20;

    /** Regions are at most this long, in bytes. */
    public static final int MOST_REGION_BYTES = 256 << 20;

    /** Groups are at least this long, in bytes. */
    public static final int LEAST_GROUP_BYTES = 64 << 10;

    /** Groups are at most this long, in bytes, except for a single element that is longer. */
    public static final int MOST_GROUP_BYTES = 256 << 10;

    /** The most regions of a heap. */
    public static final int MOST_REGIONS = 1 << 30;

    private static final int MOST_WRITE_BUFFERS = 1024;

    private final Values values;

    private record Values(
            long capacityBytes,
            long reserveBytes,
            int regionBytes,
            int groupBytes,
            int writeBuffers,
            double highThreshold,
            double lowThreshold,
            @Nullable Heapspan heapspan,
            @Nullable Storage storage,
            BooleanSupplier reclaimer,
            @Nullable SharedObjects shared,
            long keptBytes,
            int encryptionKeyBits) {}

    /** Values that are being changed, so that each change names one of them. */
    private static final class Draft {
        long capacityBytes;
        long reserveBytes;
        int regionBytes;
        int groupBytes;
        int writeBuffers;
        double highThreshold;
        double lowThreshold;

        @Nullable
        Heapspan heapspan;

        @Nullable
        Storage storage;

        BooleanSupplier reclaimer;

        @Nullable
        SharedObjects shared;

        long keptBytes;
        int encryptionKeyBits;

        Draft(Values values) {
            capacityBytes = values.capacityBytes;
            reserveBytes = values.reserveBytes;
            regionBytes = values.regionBytes;
            groupBytes = values.groupBytes;
            writeBuffers = values.writeBuffers;
            highThreshold = values.highThreshold;
            lowThreshold = values.lowThreshold;
            heapspan = values.heapspan;
            storage = values.storage;
            reclaimer = values.reclaimer;
            shared = values.shared;
            keptBytes = values.keptBytes;
            encryptionKeyBits = values.encryptionKeyBits;
        }

        Values values() {
            return new Values(
                    capacityBytes,
                    reserveBytes,
                    regionBytes,
                    groupBytes,
                    writeBuffers,
                    highThreshold,
                    lowThreshold,
                    heapspan,
                    storage,
                    reclaimer,
                    shared,
                    keptBytes,
                    encryptionKeyBits);
        }
    }

    private SecondHeapOptions changed(Consumer<Draft> change) {
        Draft draft = new Draft(values);
        change.accept(draft);
        return new SecondHeapOptions(draft.values());
    }

    private SecondHeapOptions(Values values) {
        this.values = values;
    }

    /**
     * Creates options with a capacity, which is the only required option. Defaults of the others: regions of 16 MB, groups of 128 KB, 8 write
     * buffers, thresholds 0.85 and 0.5, transient fields are stored, no checksums, no encryption.
     *
     * @param bytes the storage that the heap may take; rounded down to whole regions. For less than one region {@link SecondHeap#open} throws an
     *     {@link IllegalArgumentException}
     * @return the options
     * @throws IllegalArgumentException if that is not a positive number
     */
    public static SecondHeapOptions capacity(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("capacity is " + bytes + " bytes, expected a positive number");
        }
        return new SecondHeapOptions(
                new Values(bytes, 0, 16 << 20, 128 << 10, 8, 0.85, 0.5, null, null, () -> false, null, 0, 0));
    }

    /**
     * Sets how much space of the device stays free for other programs. If only this space is left, writes fail as on a full disk. Default: 0.
     *
     * @param bytes of the device, not negative
     * @return changed options
     * @throws IllegalArgumentException if it is negative
     */
    public SecondHeapOptions withReserve(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("reserve is " + bytes + " bytes, expected 0 or more");
        }
        return changed(draft -> draft.reserveBytes = bytes);
    }

    /**
     * Sets the length of a region, the unit of reclamation. Long regions need less memory for bookkeeping. Short regions become free earlier.
     *
     * @param bytes a power of two from 1 MB to 256 MB
     * @return changed options
     * @throws IllegalArgumentException if it is none
     */
    public SecondHeapOptions withRegionBytes(int bytes) {
        if (Integer.bitCount(bytes) != 1 || bytes < LEAST_REGION_BYTES || bytes > MOST_REGION_BYTES) {
            throw new IllegalArgumentException("regionBytes is " + bytes + ", expected a power of two from "
                    + LEAST_REGION_BYTES + " to " + MOST_REGION_BYTES);
        }
        return changed(draft -> draft.regionBytes = bytes);
    }

    /**
     * Sets the length of a group of elements. A reader decodes one group at once.
     *
     * @param bytes from 64 KB to 256 KB
     * @return changed options
     * @throws IllegalArgumentException if it is outside of these
     */
    public SecondHeapOptions withGroupBytes(int bytes) {
        if (bytes < LEAST_GROUP_BYTES || bytes > MOST_GROUP_BYTES) {
            throw new IllegalArgumentException(
                    "groupBytes is " + bytes + ", expected " + LEAST_GROUP_BYTES + " to " + MOST_GROUP_BYTES);
        }
        return changed(draft -> draft.groupBytes = bytes);
    }

    /**
     * Sets the number of write buffers of 2 MB (TeraHeap section 3.2). When all of them are in use, threads that write wait.
     *
     * @param count 1 to 1024
     * @return changed options
     * @throws IllegalArgumentException if it is outside of these
     */
    public SecondHeapOptions withWriteBuffers(int count) {
        if (count < 1 || count > MOST_WRITE_BUFFERS) {
            throw new IllegalArgumentException("writeBuffers is " + count + ", expected 1 to " + MOST_WRITE_BUFFERS);
        }
        return changed(draft -> draft.writeBuffers = count);
    }

    /**
     * Sets when tagged roots are moved automatically (TeraHeap section 3.2). If live objects take more than the share {@code high} of the old
     * generation after a collection, roots are moved, the oldest labels first, until the share is at most {@code low}. With a collector
     * without an old generation (Epsilon, or Shenandoah and ZGC without generations) no roots are moved automatically.
     *
     * <p>The second heap sets the collection usage threshold of the old generation's {@link java.lang.management.MemoryPoolMXBean}, unless a lower
     * one is set. With G1 before JDK 20 it does not set it.
     *
     * @param high share of the old generation, above 0 and at most 1
     * @param low share of the old generation, from 0 to {@code high}
     * @return changed options
     * @throws IllegalArgumentException if a share is out of range
     */
    public SecondHeapOptions withThresholds(double high, double low) {
        if (!(high > 0 && high <= 1 && low >= 0 && low <= high)) {
            throw new IllegalArgumentException("thresholds are " + high + " and " + low
                    + ", expected shares of the old generation, the first above 0, the second no larger");
        }
        return thresholds(high, low);
    }

    /**
     * Switches thresholds off: roots are moved only by {@link SecondHeap#move}.
     *
     * @return changed options
     */
    public SecondHeapOptions withoutThresholds() {
        return thresholds(0, 0);
    }

    private SecondHeapOptions thresholds(double high, double low) {
        return changed(draft -> {
            draft.highThreshold = high;
            draft.lowThreshold = low;
        });
    }

    /**
     * Sets the instance that encodes and decodes. Its options for class loader, mode, checksums, links and verification apply. Its limits and
     * updates ({@link HeapspanBuilder#registerUpdate}) apply each time objects are read, but limits do not apply when they are written. So an
     * instance with limits can write roots that it cannot read again. {@link HeapspanBuilder#maxBytes} limits a whole group.
     *
     * @param heapspan an instance without limits; it must find all classes that it writes
     * @return changed options
     */
    public SecondHeapOptions withHeapspan(Heapspan heapspan) {
        return changed(draft -> draft.heapspan = heapspan);
    }

    /**
     * Sets fields whose objects roots share. Default: no such fields; each root has copies. If you also use {@link #withHeapspan}, create that
     * instance with the same object in {@link HeapspanBuilder#links}.
     *
     * @param shared the shared objects; for this heap only
     * @return changed options
     */
    public SecondHeapOptions withShared(SharedObjects shared) {
        return changed(draft -> draft.shared = shared);
    }

    /**
     * Sets how much of the {@linkplain #withShared shared} objects stays on the Java heap as well, so that readers need not decode them again.
     * The first objects that fit are kept, as long as roots depend on them. The collector can free them when memory is short, or when they have
     * not been read for a long time. Use it for large arrays that are read often: they are cheap for the collector and expensive to decode.
     * Default: 0.
     *
     * @param bytes the bytes of their images, which is about their size on the Java heap; not negative
     * @return changed options
     * @throws IllegalArgumentException if it is negative
     */
    public SecondHeapOptions withKept(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("kept objects take " + bytes + " bytes, expected 0 or more");
        }
        return changed(draft -> draft.keptBytes = bytes);
    }

    /**
     * Encrypts the files with AES in counter mode. The key is generated when the heap is opened, and exists only in the memory of this process.
     * Someone who reads the device cannot read the objects. Encryption does not detect changes. Objects and write buffers in memory are not
     * encrypted. Default: no encryption.
     *
     * @param keyBits length of the key: 128, 192 or 256
     * @return changed options
     * @throws IllegalArgumentException if it is none of these
     */
    public SecondHeapOptions withEncryption(int keyBits) {
        if (keyBits != 128 && keyBits != 192 && keyBits != 256) {
            throw new IllegalArgumentException("a key of " + keyBits + " bits, expected 128, 192 or 256");
        }
        return changed(draft -> draft.encryptionKeyBits = keyBits);
    }

    /**
     * Sets a function that closes handles when the capacity is used up. For example, a cache can evict entries. Without a reclaimer, a full heap
     * throws an exception.
     *
     * <p>Several threads can call the function at the same time. It must not call {@link SecondHeap#move}, and must not wait for threads that move,
     * tag or update roots. If it throws an exception, the write fails with category LIMIT.
     *
     * @param reclaimer closes some handles and returns true, or returns false if it could not. A thread that writes calls it again until there
     *     is room or it returns false. If it always returned true and closed nothing, the call would not end
     * @return changed options
     */
    public SecondHeapOptions withReclaimer(BooleanSupplier reclaimer) {
        return changed(draft -> draft.reclaimer = reclaimer);
    }

    /** Sets where bytes go; for tests, which let it fail. */
    SecondHeapOptions withStorage(Storage storage) {
        return changed(draft -> draft.storage = storage);
    }

    /**
     * Returns the storage that the heap may take.
     *
     * @return bytes
     */
    public long capacityBytes() {
        return values.capacityBytes;
    }

    /**
     * Returns the space of the device that stays free for other programs.
     *
     * @return bytes
     */
    public long reserveBytes() {
        return values.reserveBytes;
    }

    /**
     * Returns the length of a region.
     *
     * @return bytes
     */
    public int regionBytes() {
        return values.regionBytes;
    }

    /**
     * Returns the length of a group of elements.
     *
     * @return bytes
     */
    public int groupBytes() {
        return values.groupBytes;
    }

    /**
     * Returns the number of write buffers.
     *
     * @return buffers
     */
    public int writeBuffers() {
        return values.writeBuffers;
    }

    /**
     * Returns the share of the old generation above which roots are moved.
     *
     * @return the share; 0 for never
     */
    public double highThreshold() {
        return values.highThreshold;
    }

    /**
     * Returns the share of the old generation at which moving stops.
     *
     * @return the share
     */
    public double lowThreshold() {
        return values.lowThreshold;
    }

    /** What encodes and decodes. */
    Heapspan heapspan() {
        Heapspan chosen = values.heapspan;
        // Objects stay what they are, transient fields included; and these bytes are memory, which nobody else can
        // write.
        if (chosen != null) {
            return chosen;
        }
        HeapspanBuilder builder = Heapspan.builder().mode(Mode.CLONE).checksum(false);
        SharedObjects shared = values.shared;
        return (shared == null ? builder : builder.links(shared)).build();
    }

    /** What roots share, or null. */
    @Nullable
    SharedObjects shared() {
        return values.shared;
    }

    /**
     * Returns how much of the shared objects stays on the Java heap as well.
     *
     * @return bytes
     */
    public long keptBytes() {
        return values.keptBytes;
    }

    /**
     * Returns the length of the encryption key.
     *
     * @return bits; 0 if the files are not encrypted
     */
    public int encryptionKeyBits() {
        return values.encryptionKeyBits;
    }

    /** Who makes room. */
    BooleanSupplier reclaimer() {
        return values.reclaimer;
    }

    /** Where bytes go, or null for files. */
    @Nullable
    Storage storage() {
        return values.storage;
    }
}
