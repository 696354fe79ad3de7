package org.heapspan.vm;

import java.util.Objects;

/**
 * What HotSpot's own tables say about the running JVM; needs the native library.
 *
 * <p>Source: {@code gHotSpotVMStructs} ({@code src/hotspot/share/runtime/vmStructs.cpp}, JDK 17 to 25), read once at
 * start. The values never change while the JVM runs.
 *
 * @param compressedReferences whether references are 4 bytes ({@code UseCompressedOops})
 * @param referenceShift bits a compressed reference is shifted left to give an address, less its base
 * @param referenceBaseAddress what is added to a shifted compressed reference to give an address; often 0
 * @param compressedClassPointers whether the class word of a header is 4 bytes or less
 * @param classPointerShift bits a compressed class word is shifted left
 * @param classPointerBaseAddress what is added to a shifted class word
 * @param compactHeaders whether the class word lies inside the mark word ({@code UseCompactObjectHeaders}, JDK 24+)
 * @param objectAlignmentBytes objects start at multiples of this ({@code ObjectAlignmentInBytes}); 0 if not found
 * @param collector the collector in use
 * @param collectionCounterAddress absolute address of the 32-bit {@code CollectedHeap::_total_collections}; 0 if not
 *     found
 */
public record HotSpotFacts(
        boolean compressedReferences,
        int referenceShift,
        long referenceBaseAddress,
        boolean compressedClassPointers,
        int classPointerShift,
        long classPointerBaseAddress,
        boolean compactHeaders,
        int objectAlignmentBytes,
        Collector collector,
        long collectionCounterAddress) {
    public HotSpotFacts {
        Objects.requireNonNull(collector, "collector");
    }

    // Order of the values that native/src/jni/vm_entry_points.cpp fills in (enum class Fact).
    private static final int COMPRESSED_REFERENCES = 0;
    private static final int REFERENCE_SHIFT = 1;
    private static final int REFERENCE_BASE = 2;
    private static final int COMPRESSED_CLASS_POINTERS = 3;
    private static final int CLASS_POINTER_SHIFT = 4;
    private static final int CLASS_POINTER_BASE = 5;
    private static final int COMPACT_HEADERS = 6;
    private static final int OBJECT_ALIGNMENT = 7;
    private static final int COLLECTOR = 8;
    private static final int COLLECTION_COUNTER = 9;

    /** Number of values the native library fills in. */
    static final int COUNT = 10;

    static HotSpotFacts of(long[] values) {
        return new HotSpotFacts(
                values[COMPRESSED_REFERENCES] != 0,
                (int) values[REFERENCE_SHIFT],
                values[REFERENCE_BASE],
                values[COMPRESSED_CLASS_POINTERS] != 0,
                (int) values[CLASS_POINTER_SHIFT],
                values[CLASS_POINTER_BASE],
                values[COMPACT_HEADERS] != 0,
                (int) values[OBJECT_ALIGNMENT],
                collector((int) values[COLLECTOR]),
                values[COLLECTION_COUNTER]);
    }

    // Numbers of enum class Collector in native/src/vm/hotspot_facts.h, not ordinals: the two enums may be reordered.
    private static Collector collector(int number) {
        return switch (number) {
            case 1 -> Collector.SERIAL;
            case 2 -> Collector.PARALLEL;
            case 3 -> Collector.G1;
            case 4 -> Collector.EPSILON;
            case 5 -> Collector.Z;
            case 6 -> Collector.SHENANDOAH;
            default -> Collector.UNKNOWN;
        };
    }
}
