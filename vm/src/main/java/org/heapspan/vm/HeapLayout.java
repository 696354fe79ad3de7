package org.heapspan.vm;

import java.nio.ByteOrder;
import java.util.Objects;

/**
 * How objects lie in a heap: header, reference size, alignment and where the elements of each kind of array begin.
 *
 * <p>Two JVMs with equal layouts place the fields of equal classes alike; images in raw form move between them without
 * translation. All sizes and offsets are in bytes, offsets count from the start of the object.
 *
 * @param referenceSizeBytes 4 or 8; 0 if unknown
 * @param objectAlignmentBytes objects start at multiples of this; 0 if unknown
 * @param objectHeaderSizeBytes offset of the first field an object may have: 8, 12 or 16; 0 if unknown
 * @param booleanArrayBaseOffset first element of a {@code boolean[]}
 * @param byteArrayBaseOffset first element of a {@code byte[]}
 * @param shortArrayBaseOffset first element of a {@code short[]}
 * @param charArrayBaseOffset first element of a {@code char[]}
 * @param intArrayBaseOffset first element of an {@code int[]}
 * @param longArrayBaseOffset first element of a {@code long[]}
 * @param floatArrayBaseOffset first element of a {@code float[]}
 * @param doubleArrayBaseOffset first element of a {@code double[]}
 * @param referenceArrayBaseOffset first element of an {@code Object[]}
 * @param compactHeaders whether class and mark share one 8-byte word (JEP 450, 519)
 * @param byteOrder of every value in the heap
 */
public record HeapLayout(
        int referenceSizeBytes,
        int objectAlignmentBytes,
        int objectHeaderSizeBytes,
        int booleanArrayBaseOffset,
        int byteArrayBaseOffset,
        int shortArrayBaseOffset,
        int charArrayBaseOffset,
        int intArrayBaseOffset,
        int longArrayBaseOffset,
        int floatArrayBaseOffset,
        int doubleArrayBaseOffset,
        int referenceArrayBaseOffset,
        boolean compactHeaders,
        ByteOrder byteOrder) {
    /** The layout of a JVM whose heap cannot be looked into ({@link AccessMeans#REFLECTION}); never equal to a known one. */
    public static final HeapLayout UNKNOWN =
            new HeapLayout(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, ByteOrder.nativeOrder());

    public HeapLayout {
        Objects.requireNonNull(byteOrder, "byteOrder");
    }

    /** Whether every value is known. */
    public boolean isKnown() {
        return referenceSizeBytes != 0 && objectAlignmentBytes != 0;
    }

    /**
     * Where the class word of an object lies: behind the mark word, or within it if {@linkplain #compactHeaders headers are
     * compact} ({@code src/hotspot/share/oops/oop.hpp}, JDK 17 to 25).
     */
    public int classWordOffset() {
        return compactHeaders ? 0 : Long.BYTES;
    }

    /**
     * How many bytes the class word takes: 4 with compressed class pointers, whose second half of the word is the first field's
     * or the array length's; 8 without, and where it shares its word with the mark.
     */
    public int classWordSizeBytes() {
        return objectHeaderSizeBytes == 12 ? Integer.BYTES : Long.BYTES;
    }

    /** Where the length of an array lies: right behind the header ({@code src/hotspot/share/oops/arrayOop.hpp}). */
    public int arrayLengthOffset() {
        return objectHeaderSizeBytes;
    }

    /**
     * A hash of all values that is the same in every JVM and every release of Heapspan; 0 exactly if the layout is not
     * {@linkplain #isKnown known}.
     *
     * <p>FNV-1a, 64 bits, over one unsigned byte per component in the order of declaration; {@code compactHeaders} is 0
     * or 1, {@code byteOrder} is 0 for little endian and 1 for big endian, an alignment of 256 is 0. A hash of 0 becomes
     * 1.
     *
     * @throws IllegalStateException if a component is outside 0 to 256: no JVM has such a layout
     */
    public long fingerprint() {
        if (!isKnown()) {
            return 0;
        }
        long hash = 0xcbf29ce484222325L;
        hash = mix(hash, referenceSizeBytes);
        hash = mix(hash, objectAlignmentBytes);
        hash = mix(hash, objectHeaderSizeBytes);
        hash = mix(hash, booleanArrayBaseOffset);
        hash = mix(hash, byteArrayBaseOffset);
        hash = mix(hash, shortArrayBaseOffset);
        hash = mix(hash, charArrayBaseOffset);
        hash = mix(hash, intArrayBaseOffset);
        hash = mix(hash, longArrayBaseOffset);
        hash = mix(hash, floatArrayBaseOffset);
        hash = mix(hash, doubleArrayBaseOffset);
        hash = mix(hash, referenceArrayBaseOffset);
        hash = mix(hash, compactHeaders ? 1 : 0);
        hash = mix(hash, byteOrder == ByteOrder.BIG_ENDIAN ? 1 : 0);
        return hash == 0 ? 1 : hash;
    }

    private static long mix(long hash, int value) {
        if (value < 0 || value > 256) {
            throw new IllegalStateException("heap layout component " + value + " is outside 0 to 256");
        }
        // 256 is the largest alignment HotSpot takes and 0 never occurs as one, so the two may share a byte.
        return (hash ^ (value & 0xff)) * 0x100000001b3L;
    }

    /** Reads the layout of the running JVM; the alignment comes from elsewhere because no offset shows it. */
    static HeapLayout of(RawMemory memory, int objectAlignmentBytes) {
        int headerSizeBytes;
        try {
            headerSizeBytes = (int) memory.objectFieldOffset(HeaderProbe.class.getDeclaredField("first"));
        } catch (NoSuchFieldException e) {
            throw new NoSuchFieldError(e.getMessage());
        }
        return new HeapLayout(
                memory.arrayIndexScale(Object[].class),
                objectAlignmentBytes,
                headerSizeBytes,
                memory.arrayBaseOffset(boolean[].class),
                memory.arrayBaseOffset(byte[].class),
                memory.arrayBaseOffset(short[].class),
                memory.arrayBaseOffset(char[].class),
                memory.arrayBaseOffset(int[].class),
                memory.arrayBaseOffset(long[].class),
                memory.arrayBaseOffset(float[].class),
                memory.arrayBaseOffset(double[].class),
                memory.arrayBaseOffset(Object[].class),
                // src/hotspot/share/oops/objLayout.hpp (JDK 24+): 8 bytes of header exist only with compact headers.
                headerSizeBytes == 8,
                ByteOrder.nativeOrder());
    }

    /** A single byte lands right behind the header: {@code classfile/fieldLayoutBuilder.cpp}, JDK 15 and later. */
    private static final class HeaderProbe {
        @SuppressWarnings("unused")
        byte first;
    }
}
