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

    /** Groups are at most this long, in bytes, but for a single element that is longer. */
    public static final int MOST_GROUP_BYTES = 256 << 10;

    /** A heap has at most so many regions. */
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
     * Begins with the one value that has no default. The others: regions of 16 MB, groups of 128 KB, 8 write buffers, thresholds 0.85 and
     * 0.5, all fields of objects (transient ones too), no checksums, no encryption.
     *
     * @param bytes how much storage the heap may take; rounded down to whole regions
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
     * Leaves space on the device to others. If no more than this is free, writing fails as on a full disk. Default: 0.
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
     * Sets the length of a region, the unit of reclamation. Long regions need less memory for their bookkeeping. Short ones become free sooner.
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
     * Sets how long a group of elements becomes before it is written: what a reader decodes at once.
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
     * Sets how many buffers of 2 MB may wait to be written (TeraHeap section 3.2). When all of them wait, writers wait too.
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
     * Sets when tagged roots move by themselves (TeraHeap section 3.2). If live objects take more than {@code high} of the old generation after a
     * collection, labels move, oldest first, until at most {@code low} of it would be taken.
     *
     * @param high share of the old generation, above 0 and at most 1
     * @param low share of the old generation, from 0 to {@code high}
     * @return changed options
     * @throws IllegalArgumentException if they are no such shares
     */
    public SecondHeapOptions withThresholds(double high, double low) {
        if (!(high > 0 && high <= 1 && low >= 0 && low <= high)) {
            throw new IllegalArgumentException("thresholds are " + high + " and " + low
                    + ", expected shares of the old generation, the first above 0, the second no larger");
        }
        return thresholds(high, low);
    }

    /**
     * Lets roots move only when {@link SecondHeap#move} is called.
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
     * Sets the instance that encodes and decodes. It decides about class loader, mode, checksums and verification.
     *
     * @param heapspan any instance; it must find the classes that are written when they are read
     * @return changed options
     */
    public SecondHeapOptions withHeapspan(Heapspan heapspan) {
        return changed(draft -> draft.heapspan = heapspan);
    }

    /**
     * Lets roots share objects instead of each having a copy. Default: nothing is shared. An instance given by {@link #withHeapspan} must have
     * been made with {@link HeapspanBuilder#links} of the same.
     *
     * @param shared of which fields; for this heap only
     * @return changed options
     */
    public SecondHeapOptions withShared(SharedObjects shared) {
        return changed(draft -> draft.shared = shared);
    }

    /**
     * Keeps {@linkplain #withShared shared} objects on the Java heap as well, so that reading a root need not make them again. The first ones that fit are
     * kept, each for as long as roots depend on it. The collector takes them when memory runs out, or when they have not been read for long. Use it for
     * large arrays that are read again and again: they cost a collector little, and much to make. Default: 0.
     *
     * @param bytes of their images, about what they take there; not negative
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
     * Encrypts the files: AES in counter mode, with a key that is made when the heap is opened and exists in the memory of this process only. This keeps
     * the objects secret from whoever reads the device. It does not detect changes of the bytes. Buffers that wait to be written, and objects, lie in
     * memory in clear. Default: no encryption.
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
     * Sets what makes room when the capacity is used up, by closing handles. A cache can drop some of its entries. Without a reclaimer the heap is full
     * then.
     *
     * @param reclaimer asked by a thread that writes, and may close any handles; returns whether it has closed some, so that it is worth to try
     *     again. Asked again until there is room or it returns false
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
     * The storage that the heap may take.
     *
     * @return bytes
     */
    public long capacityBytes() {
        return values.capacityBytes;
    }

    /**
     * What is left to others of the device.
     *
     * @return bytes
     */
    public long reserveBytes() {
        return values.reserveBytes;
    }

    /**
     * The length of a region.
     *
     * @return bytes
     */
    public int regionBytes() {
        return values.regionBytes;
    }

    /**
     * How long a group of elements becomes.
     *
     * @return bytes
     */
    public int groupBytes() {
        return values.groupBytes;
    }

    /**
     * How many buffers may wait to be written.
     *
     * @return buffers
     */
    public int writeBuffers() {
        return values.writeBuffers;
    }

    /**
     * The share of the old generation above which roots move.
     *
     * @return the share; 0 for never
     */
    public double highThreshold() {
        return values.highThreshold;
    }

    /**
     * The share of the old generation down to which roots move.
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
     * How much of what roots share stays on the Java heap, too.
     *
     * @return bytes
     */
    public long keptBytes() {
        return values.keptBytes;
    }

    /**
     * How long the key is with which bytes are encrypted.
     *
     * @return bits; 0 where they are not
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
