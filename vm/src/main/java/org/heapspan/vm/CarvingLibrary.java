package org.heapspan.vm;

import org.jspecify.annotations.Nullable;

/**
 * Entry points of the native library that carve; {@code native/src/jni/carving_entry_points.cpp}.
 *
 * <p>A <em>workshop</em> is native memory of {@link #workshopBytes} with what never changes while the JVM runs; a
 * <em>request</em> is laid out by {@link RequestBlock}.
 */
final class CarvingLibrary {
    // Order of the values that `open` fills in (enum Value).
    static final int CLASS_POINTER_OFFSET = 0;
    static final int MAX_OBJECT_BYTES = 1;
    static final int CPU_PATH = 2;
    static final int OTHER_COMPILER = 3;
    static final int CLASS_WORDS_CHANGE_AT_ONCE = 4;
    static final int REGIONS_CAN_BE_PINNED = 5;
    static final int VALUE_COUNT = 6;

    // Order of what `describeClass` returns (enum ClassValue).
    static final int LAYOUT_HELPER = 0;
    static final int REFERENCE_TYPE = 1;
    static final int FIRST_REFERENCE_OFFSET = 2;

    private CarvingLibrary() {}

    static native int workshopBytes();

    static native int requestBytes();

    /**
     * Fills a workshop with what HotSpot's tables say.
     *
     * @param cpuPathLimit number of the {@link CpuPath} that must not be exceeded
     * @param values {@link #VALUE_COUNT} elements that are filled
     * @return {@code null}, or why this did not work
     */
    static native @Nullable String open(long workshopAddress, int cpuPathLimit, long[] values);

    /**
     * Adds what Java knows better.
     *
     * @param numberArrayWord class word of the arrays that become an {@code Object[]}
     * @param baseOffsets of the first element of an {@code Object[]} and a {@code byte[]}, in bytes from the lowest
     * @param nanosPerTick times 2^32
     */
    static native void complete(
            long workshopAddress, long numberArrayWord, long objectArrayWord, long baseOffsets, long nanosPerTick);

    /** Layout helper, reference type and offsets of references of a Klass; {@code null} if it contradicts itself. */
    static native int @Nullable [] describeClass(long workshopAddress, long classAddress);

    /** Ticks of the processor's clock, in which windows are measured. */
    static native long ticks();

    /** A JNI global reference, which holds the object until it is deleted. */
    static native long newReference(Object object);

    static native void deleteReference(long reference);

    /** Address of a function {@code (long holderReference, long requestAddress) -> long}, for JDK 22 and later. */
    static native long carveFunction();

    /** The same work with the collector locked, for JDK 17 and 21. Returns the number of a {@link Decline}, or 0. */
    static native long carveLockingCollector(Object target, long holderReference, long requestAddress);
}
