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

    private static final Class<?> NUMBER_TYPE =
            Carver.numberArrayType(VirtualMachine.current().heapLayout()).getComponentType();

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
     * what was stored: a JIT compiler would take the result for an array of numbers. The global reference lets this array escape.
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

        private final NativeBuffer classMemory = new NativeBuffer();
        private final NativeBuffer pieceMemory = new NativeBuffer();
        private boolean freed;

        Resources(Carver carver, Object holder) {
            this.carver = carver;
            block = MEMORY.allocateMemory(RequestBlock.BYTES);
            MEMORY.setMemory(null, block, RequestBlock.BYTES, (byte) 0);
            MEMORY.putLong(null, block + RequestBlock.CONTEXT_ADDRESS, carver.workshopAddress());
            holderReference = CarvingLibrary.newReference(holder);
            if (holderReference == 0) {
                MEMORY.freeMemory(block);
                throw new OutOfMemoryError("the JVM could not make a JNI global reference");
            }
            carver.opened(this);
        }

        long classMemory(long bytes) {
            return classMemory.ofAtLeast(bytes);
        }

        long pieceMemory(long bytes) {
            return pieceMemory.ofAtLeast(bytes);
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
            classMemory.free();
            pieceMemory.free();
        }
    }

    /** Native memory that grows; its contents do not survive that. */
    private static final class NativeBuffer {
        private long address;
        private long sizeBytes;

        long ofAtLeast(long bytes) {
            if (bytes > sizeBytes) {
                free();
                address = MEMORY.allocateMemory(bytes);
                sizeBytes = bytes;
            }
            return address;
        }

        void free() {
            if (sizeBytes != 0) {
                MEMORY.freeMemory(address);
                sizeBytes = 0;
            }
        }
    }

    /**
     * Makes objects of copies.
     *
     * @return the roots of all pieces, then the exports of all pieces: a new {@code Object[]} that is the caller's, or {@code null} if the request was declined
     *     ({@link #decline} says why) and nothing has happened
     * @throws IllegalStateException if the workspace is closed
     */
    public @Nullable Object @Nullable [] carve(CarveRequest request) {
        if (resources.freed) {
            throw new IllegalStateException("carving space is closed; make a new one");
        }
        int pieceCount = request.pieceCount;
        if (pieceCount <= 0 || request.classWordCount < 0) {
            return declined(Decline.MALFORMED);
        }
        long elements = 0;
        long objectBytes = 0;
        long patchCount = 0;
        for (int i = 0; i < pieceCount; i++) {
            CarvePiece piece = request.piece(i);
            if ((piece.rootCount | piece.exportCount | piece.objectBytes | piece.constantPatchCount) < 0) {
                return declined(Decline.MALFORMED);
            }
            elements += (long) piece.rootCount + piece.exportCount;
            objectBytes += piece.objectBytes;
            patchCount += piece.constantPatchCount;
        }
        long targetBytes = carver.arrayBytes(elements) + objectBytes;
        if (targetBytes > carver.maxBytes()) {
            return declined(Decline.TOO_LARGE);
        }
        if ((objectBytes & carver.alignmentMask()) != 0) {
            return declined(Decline.MALFORMED);
        }
        int targetLength = carver.numbersIn(targetBytes);
        long block = this.block;
        byte[] image = request.image;
        MEMORY.putLong(null, block + RequestBlock.IMAGE_ADDRESS, image == null ? request.imageAddress : 0);
        MEMORY.putLong(null, block + RequestBlock.IMAGE_BYTES, request.imageBytes);
        MEMORY.putLong(null, block + RequestBlock.FIRST_UNIT, request.firstUnit);
        putPieces(request, pieceCount);
        MEMORY.putLong(null, block + RequestBlock.TARGET_LENGTH, targetLength);
        if (!putClassWords(request)) {
            return declined(Decline.MALFORMED);
        }

        @Nullable Object[] holder = this.holder;
        Object[] constants = patchCount == 0 ? null : request.constants;
        try {
            holder[TARGET] = MEMORY.allocateUninitializedArray(NUMBER_TYPE, targetLength);
        } catch (OutOfMemoryError e) {
            // The engine that takes over needs no array of this size; if it lacks memory all the same, it says so.
            return declined(Decline.COLLECTOR_BUSY);
        }
        if (image != null) {
            holder[IMAGE] = image;
        }
        if (constants != null) {
            holder[CONSTANTS] = constants;
        }
        long result;
        Object carved;
        try {
            result = CRITICAL_CALL
                    ? CriticalCall.carve(holderReference, block)
                    : CarvingLibrary.carveLockingCollector(
                            Objects.requireNonNull(holder[TARGET]), holderReference, block);
            carved = holder[TARGET];
        } finally {
            // Also at the end of the stack: the holder is a root of the collector's.
            holder[TARGET] = null;
            if (image != null) {
                holder[IMAGE] = null;
            }
            if (constants != null) {
                holder[CONSTANTS] = null;
            }
            Reference.reachabilityFence(this);
        }
        if (result != 0) {
            return declined(Decline.of(result));
        }
        decline = Decline.NONE;
        return (Object[]) carved;
    }

    private void putPieces(CarveRequest request, int pieceCount) {
        long at = resources.pieceMemory((long) pieceCount * RequestBlock.PIECE_BYTES);
        MEMORY.putLong(null, block + RequestBlock.PIECES_ADDRESS, at);
        MEMORY.putLong(null, block + RequestBlock.PIECE_COUNT, pieceCount);
        for (int i = 0; i < pieceCount; i++) {
            CarvePiece piece = request.piece(i);
            MEMORY.putLong(null, at + RequestBlock.OBJECTS_OFFSET, piece.objectsOffset);
            MEMORY.putLong(null, at + RequestBlock.OBJECT_BYTES, piece.objectBytes);
            MEMORY.putLong(null, at + RequestBlock.BITMAP_OFFSET, piece.bitmapOffset);
            MEMORY.putLong(null, at + RequestBlock.CONSTANT_PATCHES_OFFSET, piece.constantPatchesOffset);
            MEMORY.putLong(null, at + RequestBlock.CONSTANT_PATCH_COUNT, piece.constantPatchCount);
            MEMORY.putLong(null, at + RequestBlock.ROOTS_OFFSET, piece.rootsOffset);
            MEMORY.putLong(null, at + RequestBlock.ROOT_COUNT, piece.rootCount);
            MEMORY.putLong(null, at + RequestBlock.EXPORTS_OFFSET, piece.exportsOffset);
            MEMORY.putLong(null, at + RequestBlock.EXPORT_COUNT, piece.exportCount);
            at += RequestBlock.PIECE_BYTES;
        }
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
