package org.heapspan.image.raw;

import java.nio.ByteOrder;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.codec.PrimitiveArrayCodec;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.StringForm;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.HeapLayout;
import org.heapspan.vm.HotSpotFacts;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * How objects lie in a raw image: the heap layout of the JVM that wrote it.
 *
 * <pre>
 * fingerprint:u64 referenceSize:u8 referenceShift:u8 headerSize:u8 flags:u8 alignment:u16 javaFeature:u16
 * bases of boolean[] byte[] short[] char[] int[] long[] float[] double[] Object[]:u8 each, 7 bytes of zero
 * </pre>
 *
 * @param heap header, references, alignment, arrays; little endian
 * @param referenceShiftBits by how much a compressed reference is shifted to give an address, less its base
 * @param compactStrings whether strings of ISO 8859-1 take a byte a character (not so with -XX:-CompactStrings)
 * @param javaFeature feature version of the JDK; it informs
 */
public record RawLayout(HeapLayout heap, int referenceShiftBits, boolean compactStrings, int javaFeature) {
    private static final int FLAG_COMPACT_HEADERS = 1;
    private static final int FLAG_COMPACT_STRINGS = 2;

    /** The layout of this JVM, or null where its heap cannot be looked into or does not look as expected. */
    static final @Nullable RawLayout OWN = find();

    /** The layout of this JVM, for code that runs only where its heap can be looked into. */
    static RawLayout own() {
        RawLayout layout = OWN;
        if (layout == null) {
            throw new IllegalStateException("this JVM's heap cannot be looked into");
        }
        return layout;
    }

    private static @Nullable RawLayout find() {
        RawMemory raw = Access.RAW;
        HeapLayout heap = Access.MACHINE.heapLayout();
        if (raw == null || !heap.isKnown() || !StringForm.readsInsides() || !isAsExpected(raw, heap)) {
            return null;
        }
        HotSpotFacts facts = Access.MACHINE.hotSpotFacts();
        return new RawLayout(
                heap,
                facts == null ? 0 : facts.referenceShift(),
                StringForm.COMPACT,
                Runtime.version().feature());
    }

    /** Compares what follows from the layout with real objects: a length, and class words that tell classes apart. */
    private static boolean isAsExpected(RawMemory raw, HeapLayout heap) {
        int length = 0x1234;
        // Opaque to the JIT, which would not compile a read of a header into a load; here the call is as good.
        return raw.getInt(new byte[length], heap.arrayLengthOffset()) == length
                && classWord(raw, heap, new byte[0]) == classWord(raw, heap, new byte[1])
                && classWord(raw, heap, new byte[0]) != classWord(raw, heap, new int[0]);
    }

    /** The class word of a fresh object of this JVM. */
    static long classWord(Object fresh) {
        return classWord(Access.raw(), Access.MACHINE.heapLayout(), fresh);
    }

    private static long classWord(RawMemory raw, HeapLayout heap, Object fresh) {
        if (heap.compactHeaders()) {
            return raw.getLong(fresh, heap.classWordOffset()) >>> RawFormat.COMPACT_CLASS_SHIFT;
        }
        return heap.classWordSizeBytes() == Integer.BYTES
                ? raw.getInt(fresh, heap.classWordOffset()) & 0xFFFFFFFFL
                : raw.getLong(fresh, heap.classWordOffset());
    }

    /** Writes the header of an object that nobody has locked or hashed. */
    void putHeader(byte[] objects, int position, long classWord) {
        if (heap.compactHeaders()) {
            ImageFormat.LONG.set(
                    objects, position, classWord << RawFormat.COMPACT_CLASS_SHIFT | RawFormat.NEUTRAL_MARK);
            return;
        }
        ImageFormat.LONG.set(objects, position, RawFormat.NEUTRAL_MARK);
        if (heap.classWordSizeBytes() == Integer.BYTES) {
            ImageFormat.INT.set(objects, position + heap.classWordOffset(), (int) classWord);
        } else {
            ImageFormat.LONG.set(objects, position + heap.classWordOffset(), classWord);
        }
    }

    public long classWordAt(byte[] objects, int position) {
        if (heap.compactHeaders()) {
            return (long) ImageFormat.LONG.get(objects, position) >>> RawFormat.COMPACT_CLASS_SHIFT;
        }
        return heap.classWordSizeBytes() == Integer.BYTES
                ? (int) ImageFormat.INT.get(objects, position + heap.classWordOffset()) & 0xFFFFFFFFL
                : (long) ImageFormat.LONG.get(objects, position + heap.classWordOffset());
    }

    /** Bytes of the smallest object, of which the header can be read without looking further. */
    public int leastObjectBytes() {
        return Math.max(heap.objectAlignmentBytes(), RawFormat.alignUp(heap.objectHeaderSizeBytes(), 8));
    }

    public int arrayBase(Class<?> component) {
        if (!component.isPrimitive()) {
            return heap.referenceArrayBaseOffset();
        }
        return switch (component.descriptorString().charAt(0)) {
            case 'Z' -> heap.booleanArrayBaseOffset();
            case 'B' -> heap.byteArrayBaseOffset();
            case 'S' -> heap.shortArrayBaseOffset();
            case 'C' -> heap.charArrayBaseOffset();
            case 'I' -> heap.intArrayBaseOffset();
            case 'J' -> heap.longArrayBaseOffset();
            case 'F' -> heap.floatArrayBaseOffset();
            default -> heap.doubleArrayBaseOffset();
        };
    }

    public int elementBytes(Class<?> component) {
        return component.isPrimitive() ? PrimitiveArrayCodec.sizeBytes(component) : heap.referenceSizeBytes();
    }

    /** Whether objects lie in both alike; references need not be compressed alike. */
    boolean liesLike(RawLayout other) {
        return heap.equals(other.heap) && compactStrings == other.compactStrings;
    }

    /** For people. */
    public String describe() {
        return String.format(
                "%016x (JDK %d, %d-byte references, %d-byte headers%s, alignment %d%s)",
                heap.fingerprint(),
                javaFeature,
                heap.referenceSizeBytes(),
                heap.objectHeaderSizeBytes(),
                heap.compactHeaders() ? ", compact" : "",
                heap.objectAlignmentBytes(),
                compactStrings ? "" : ", wide strings");
    }

    void encode(byte[] target, int offset) {
        ImageFormat.LONG.set(target, offset, heap.fingerprint());
        target[offset + 8] = (byte) heap.referenceSizeBytes();
        target[offset + 9] = (byte) referenceShiftBits;
        target[offset + 10] = (byte) heap.objectHeaderSizeBytes();
        target[offset + 11] = (byte)
                ((heap.compactHeaders() ? FLAG_COMPACT_HEADERS : 0) | (compactStrings ? FLAG_COMPACT_STRINGS : 0));
        ImageFormat.SHORT.set(target, offset + 12, (short) heap.objectAlignmentBytes());
        ImageFormat.SHORT.set(target, offset + 14, (short) javaFeature);
        int[] bases = arrayBases(heap);
        for (int i = 0; i < bases.length; i++) {
            target[offset + 16 + i] = (byte) bases[i];
        }
        for (int i = 16 + bases.length; i < RawFormat.LAYOUT_BYTES; i++) {
            target[offset + i] = 0;
        }
    }

    /**
     * Reads a layout.
     *
     * @throws HeapspanException with category LAYOUT if no JVM that this release knows has such a one
     */
    public static RawLayout decode(byte[] bytes, int offset) {
        int flags = bytes[offset + 11];
        HeapLayout heap = new HeapLayout(
                bytes[offset + 8] & 0xFF,
                (short) ImageFormat.SHORT.get(bytes, offset + 12) & 0xFFFF,
                bytes[offset + 10] & 0xFF,
                bytes[offset + 16] & 0xFF,
                bytes[offset + 17] & 0xFF,
                bytes[offset + 18] & 0xFF,
                bytes[offset + 19] & 0xFF,
                bytes[offset + 20] & 0xFF,
                bytes[offset + 21] & 0xFF,
                bytes[offset + 22] & 0xFF,
                bytes[offset + 23] & 0xFF,
                bytes[offset + 24] & 0xFF,
                (flags & FLAG_COMPACT_HEADERS) != 0,
                ByteOrder.LITTLE_ENDIAN);
        long fingerprint = (long) ImageFormat.LONG.get(bytes, offset);
        if (!isPossible(heap)
                || heap.fingerprint() != fingerprint
                || (flags & ~(FLAG_COMPACT_HEADERS | FLAG_COMPACT_STRINGS)) != 0) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    String.format(
                            "the raw image has heap layout 0x%016x, which is none that this release knows: %s, flags 0x%x;"
                                    + " use the same release of Heapspan on both sides, or the compact encoding",
                            fingerprint, heap, flags));
        }
        return new RawLayout(
                heap,
                bytes[offset + 9] & 0xFF,
                (flags & FLAG_COMPACT_STRINGS) != 0,
                (short) ImageFormat.SHORT.get(bytes, offset + 14) & 0xFFFF);
    }

    private static int[] arrayBases(HeapLayout heap) {
        return new int[] {
            heap.booleanArrayBaseOffset(),
            heap.byteArrayBaseOffset(),
            heap.shortArrayBaseOffset(),
            heap.charArrayBaseOffset(),
            heap.intArrayBaseOffset(),
            heap.longArrayBaseOffset(),
            heap.floatArrayBaseOffset(),
            heap.doubleArrayBaseOffset(),
            heap.referenceArrayBaseOffset()
        };
    }

    private static boolean isPossible(HeapLayout heap) {
        int alignment = heap.objectAlignmentBytes();
        int header = heap.objectHeaderSizeBytes();
        for (int base : arrayBases(heap)) {
            if (base < header + Integer.BYTES || base > 64) {
                return false;
            }
        }
        return (heap.referenceSizeBytes() == 4 || heap.referenceSizeBytes() == 8)
                && alignment >= 8
                && alignment <= 256
                && Integer.bitCount(alignment) == 1
                && (header == 8 || header == 12 || header == 16)
                && (header == 8) == heap.compactHeaders();
    }
}
