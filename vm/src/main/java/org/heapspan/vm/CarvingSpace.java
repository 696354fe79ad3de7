package org.heapspan.vm;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A workspace in which one thread at a time turns copies of objects into objects.
 *
 * <p>{@link #carve} allocates an array of numbers in the young generation and lets native code overwrite it, in a window of some
 * microseconds in which no collection can begin, with an array of the roots and the objects behind it. What comes out are ordinary
 * objects. Nothing of a request is held after the call.
 *
 * <p>Owns some native memory and a JNI global reference, which {@link #close} frees, or a cleaner once the workspace is unreachable.
 */
public final class CarvingSpace implements AutoCloseable {
    private static final RawMemory MEMORY =
            Objects.requireNonNull(VirtualMachine.current().memory(), "a carver needs raw memory");

    /** Which door this JVM has; a constant for the JIT compiler. */
    private static final boolean CRITICAL_CALL = Carver.usesCriticalCall();

    // Elements of the holder: enum HolderElement in native/src/carving/carver.cpp.
    private static final int TARGET = 0;
    private static final int IMAGE = 1;
    private static final int CONSTANTS = 2;
    private static final int HOLDER_LENGTH = 3;

    private static final int MIN_CLASS_TABLE_CAPACITY = 32;

    private final Carver carver;
    private final Resources resources;
    private final Cleaner.Cleanable cleanable;
    private final long block;
    private final long holderReference;

    /**
     * How objects reach the native code. Native code makes something else of the array in it, so that nobody may know, or still hold,
     * what was stored: a JIT compiler would take the result for a {@code long[]}. The global reference lets this array escape.
     */
    private final @Nullable Object[] holder;

    private Decline decline = Decline.NONE;

    CarvingSpace(Carver carver, Cleaner cleaner) {
        this.carver = carver;
        holder = new Object[HOLDER_LENGTH];
        resources = new Resources(carver, holder);
        block = resources.block;
        holderReference = resources.holderReference;
        cleanable = cleaner.register(this, resources);
    }

    /** What outlives the workspace until it is freed; knows nothing of it. */
    static final class Resources implements Runnable {
        private final Carver carver;
        private final long block;
        private final long holderReference;
        final long[] declines = new long[Carver.DECLINE_COUNT];

        private long classMemory;
        private long classMemoryBytes;
        private boolean freed;

        Resources(Carver carver, Object holder) {
            this.carver = carver;
            block = MEMORY.allocateMemory(RequestBlock.BYTES);
            MEMORY.setMemory(null, block, RequestBlock.BYTES, (byte) 0);
            MEMORY.putLong(null, block + RequestBlock.CONTEXT_ADDRESS, carver.workshopAddress());
            holderReference = CarvingLibrary.newReference(holder);
            carver.opened(this);
        }

        /** Native memory of at least so many bytes for class words. */
        long classMemory(long bytes) {
            if (bytes > classMemoryBytes) {
                if (classMemoryBytes != 0) {
                    MEMORY.freeMemory(classMemory);
                    classMemoryBytes = 0;
                }
                classMemory = MEMORY.allocateMemory(bytes);
                classMemoryBytes = bytes;
            }
            return classMemory;
        }

        /** A value of the statistics that native code keeps. */
        long value(int offset) {
            return MEMORY.getLong(null, block + offset);
        }

        @Override
        public synchronized void run() {
            if (freed) {
                return;
            }
            freed = true;
            carver.closed(this);
            CarvingLibrary.deleteReference(holderReference);
            MEMORY.freeMemory(block);
            if (classMemoryBytes != 0) {
                MEMORY.freeMemory(classMemory);
            }
        }
    }

    /**
     * Makes objects of copies.
     *
     * @return the roots, then the exports: a new {@code Object[]} that is the caller's, or {@code null} if the request was declined
     *     ({@link #decline} says why) and nothing has happened
     * @throws IllegalStateException if the workspace is closed
     */
    public @Nullable Object @Nullable [] carve(CarveRequest request) {
        if (resources.freed) {
            throw new IllegalStateException("carving space is closed; make a new one");
        }
        int rootCount = request.rootCount;
        int exportCount = request.exportCount;
        int objectBytes = request.objectBytes;
        if ((rootCount | exportCount | objectBytes | request.constantPatchCount | request.classWordCount) < 0) {
            return declined(Decline.MALFORMED);
        }
        long targetBytes = carver.arrayBytes((long) rootCount + exportCount) + objectBytes;
        if (targetBytes > carver.maxBytes()) {
            return declined(Decline.TOO_LARGE);
        }
        if ((objectBytes & carver.alignmentMask()) != 0) {
            return declined(Decline.MALFORMED);
        }
        int targetLength = (int) (targetBytes - carver.longArrayBaseOffset() >> 3);
        long block = this.block;
        byte[] image = request.image;
        MEMORY.putLong(null, block + RequestBlock.IMAGE_ADDRESS, image == null ? request.imageAddress : 0);
        MEMORY.putLong(null, block + RequestBlock.IMAGE_BYTES, request.imageBytes);
        MEMORY.putLong(null, block + RequestBlock.OBJECTS_OFFSET, request.objectsOffset);
        MEMORY.putLong(null, block + RequestBlock.OBJECT_BYTES, objectBytes);
        MEMORY.putLong(null, block + RequestBlock.FIRST_UNIT, request.firstUnit);
        MEMORY.putLong(null, block + RequestBlock.BITMAP_OFFSET, request.bitmapOffset);
        MEMORY.putLong(null, block + RequestBlock.CONSTANT_PATCHES_OFFSET, request.constantPatchesOffset);
        MEMORY.putLong(null, block + RequestBlock.CONSTANT_PATCH_COUNT, request.constantPatchCount);
        MEMORY.putLong(null, block + RequestBlock.ROOTS_OFFSET, request.rootsOffset);
        MEMORY.putLong(null, block + RequestBlock.ROOT_COUNT, rootCount);
        MEMORY.putLong(null, block + RequestBlock.EXPORTS_OFFSET, request.exportsOffset);
        MEMORY.putLong(null, block + RequestBlock.EXPORT_COUNT, exportCount);
        MEMORY.putLong(null, block + RequestBlock.TARGET_LENGTH, targetLength);
        if (!putClassWords(request)) {
            return declined(Decline.MALFORMED);
        }

        @Nullable Object[] holder = this.holder;
        Object[] constants = request.constantPatchCount == 0 ? null : request.constants;
        try {
            holder[TARGET] = MEMORY.allocateUninitializedArray(long.class, targetLength);
        } catch (OutOfMemoryError e) {
            // Smaller pieces may fit; if not, the engine that takes over reports it.
            return declined(Decline.COLLECTOR_BUSY);
        }
        if (image != null) {
            holder[IMAGE] = image;
        }
        if (constants != null) {
            holder[CONSTANTS] = constants;
        }
        long result;
        try {
            result = CRITICAL_CALL
                    ? CriticalCall.carve(holderReference, block)
                    : CarvingLibrary.carveLockingCollector(
                            Objects.requireNonNull(holder[TARGET]), holderReference, block);
        } finally {
            Reference.reachabilityFence(this);
        }
        Object carved = holder[TARGET];
        holder[TARGET] = null;
        if (image != null) {
            holder[IMAGE] = null;
        }
        if (constants != null) {
            holder[CONSTANTS] = null;
        }
        if (result != 0) {
            return declined(Decline.of(result));
        }
        decline = Decline.NONE;
        return (Object[]) carved;
    }

    /** Copies pairs of class words to native memory, with room for the table that is made of them; false if they are not there. */
    private boolean putClassWords(CarveRequest request) {
        int count = request.classWordCount;
        MEMORY.putLong(null, block + RequestBlock.CLASS_PAIR_COUNT, count);
        if (count == 0) {
            return true;
        }
        long[] pairs = request.classWords;
        if (pairs == null || pairs.length >> 1 < count) {
            return false;
        }
        long capacity = Math.max(MIN_CLASS_TABLE_CAPACITY, Long.highestOneBit(count) << 3);
        long pairBytes = (long) count * 2 * Long.BYTES;
        long address = resources.classMemory(pairBytes + capacity * RequestBlock.CLASS_TABLE_ENTRY_BYTES);
        MEMORY.copyMemory(pairs, carver.longArrayBaseOffset(), null, address, pairBytes);
        MEMORY.putLong(null, block + RequestBlock.CLASS_PAIRS_ADDRESS, address);
        MEMORY.putLong(null, block + RequestBlock.CLASS_TABLE_ADDRESS, address + pairBytes);
        MEMORY.putLong(null, block + RequestBlock.CLASS_TABLE_CAPACITY, capacity);
        return true;
    }

    private Object @Nullable [] declined(Decline reason) {
        decline = reason;
        resources.declines[reason.number()]++;
        return null;
    }

    /** Why the latest {@link #carve} was declined. */
    public Decline decline() {
        return decline;
    }

    /** Frees what the workspace owns; it cannot be used any more. */
    @Override
    public void close() {
        cleanable.clean();
    }
}
