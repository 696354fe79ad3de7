package org.heapspan.image;

import java.util.Arrays;

/**
 * A chunk of a raw image while it is written: objects, the bitmap of their reference slots, patches, and the classes and constants
 * that occur in it for the first time. Knows where the current record begins, so that a chunk can end there or the record be
 * taken back. Not thread-safe.
 */
final class RawChunk {
    private static final int INITIAL_BYTES = 4 << 10;

    /** Objects, from the chunk's first unit on; zero where nothing has been written. */
    byte[] objects = new byte[INITIAL_BYTES];

    private long[] bitmap = new long[INITIAL_BYTES >> RawFormat.BITMAP_SLOT_SHIFT + 6];

    /** Pairs of slot and target. */
    private int[] patches = new int[32];

    private int patchCount;
    private final Bytes classes = new Bytes();
    private final Bytes constants = new Bytes();
    private int constantCount;

    // The same at the beginning of the current record.
    private int recordBytes;
    private int recordPatches;
    private int recordClassBytes;
    private int recordConstantBytes;
    private int recordConstants;

    /** Bytes that grow at their end. */
    private static final class Bytes {
        private byte[] bytes = new byte[256];
        private int count;

        void add(byte[] source, int offset, int length) {
            if (length > bytes.length - count) {
                bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, count + length));
            }
            System.arraycopy(source, offset, bytes, count, length);
            count += length;
        }
    }

    /** Makes room for objects up to an end. */
    void reserve(int end) {
        if (end > objects.length) {
            int size = Math.max(end, objects.length * 2);
            objects = Arrays.copyOf(objects, size);
            bitmap = Arrays.copyOf(bitmap, (size >> RawFormat.BITMAP_SLOT_SHIFT + 6) + 1);
        }
    }

    void markReference(int position) {
        int slot = position >> RawFormat.BITMAP_SLOT_SHIFT;
        bitmap[slot >> 6] |= 1L << slot;
    }

    void patch(int position, int target) {
        int at = 2 * patchCount;
        if (at == patches.length) {
            patches = Arrays.copyOf(patches, at * 2);
        }
        patches[at] = position >> RawFormat.BITMAP_SLOT_SHIFT;
        patches[at + 1] = target;
        patchCount++;
    }

    void addClass(byte[] described) {
        classes.add(described, 0, described.length);
    }

    void addConstant(byte[] buffer, int offset, int length) {
        constants.add(buffer, offset, length);
        constantCount++;
    }

    /** Remembers where a record begins. */
    void beginRecord(int positionBytes) {
        recordBytes = positionBytes;
        recordPatches = patchCount;
        recordClassBytes = classes.count;
        recordConstantBytes = constants.count;
        recordConstants = constantCount;
    }

    /** Takes the record back, of which objects up to an end may have been written. */
    void cutRecord(long endBytes) {
        clear(recordBytes, (int) Math.min(endBytes, objects.length));
        patchCount = recordPatches;
        classes.count = recordClassBytes;
        constants.count = recordConstantBytes;
        constantCount = recordConstants;
    }

    private void clear(int start, int end) {
        if (start >= end) {
            return;
        }
        Arrays.fill(objects, start, end, (byte) 0);
        int firstSlot = start >> RawFormat.BITMAP_SLOT_SHIFT;
        int word = firstSlot >> 6;
        bitmap[word] &= (1L << firstSlot) - 1;
        Arrays.fill(bitmap, word + 1, (end - 1 >> RawFormat.BITMAP_SLOT_SHIFT + 6) + 1, 0);
    }

    /** Bytes of the chunk in the image if it ended now with so many bytes of objects. */
    int sizeBytes(int objectBytes) {
        return RawFormat.HEADER_BYTES
                + classes.count
                + objectBytes
                + bitmapWords(objectBytes) * Long.BYTES
                + patchCount * RawFormat.PATCH_BYTES
                + constants.count;
    }

    private static int bitmapWords(int objectBytes) {
        return (objectBytes >> RawFormat.BITMAP_SLOT_SHIFT) + 63 >> 6;
    }

    /** Writes the chunk as it lies in the image. */
    void put(byte[] target, int start, int firstUnit, int objectBytes, int flags) {
        ImageFormat.INT.set(target, start + RawFormat.FIRST_UNIT_OFFSET, firstUnit);
        ImageFormat.INT.set(target, start + RawFormat.UNIT_COUNT_OFFSET, objectBytes >> RawFormat.UNIT_SHIFT);
        ImageFormat.INT.set(target, start + RawFormat.FLAGS_OFFSET, flags);
        ImageFormat.INT.set(target, start + RawFormat.CLASS_BYTES_OFFSET, classes.count);
        ImageFormat.INT.set(target, start + RawFormat.PATCH_COUNT_OFFSET, patchCount);
        ImageFormat.INT.set(target, start + RawFormat.CONSTANT_COUNT_OFFSET, constantCount);
        int p = start + RawFormat.HEADER_BYTES;
        System.arraycopy(classes.bytes, 0, target, p, classes.count);
        p += classes.count;
        System.arraycopy(objects, 0, target, p, objectBytes);
        p += objectBytes;
        int words = bitmapWords(objectBytes);
        for (int i = 0; i < words; i++) {
            ImageFormat.LONG.set(target, p, bitmap[i]);
            p += Long.BYTES;
        }
        for (int i = 0; i < 2 * patchCount; i++) {
            ImageFormat.INT.set(target, p, patches[i]);
            p += Integer.BYTES;
        }
        System.arraycopy(constants.bytes, 0, target, p, constants.count);
    }

    /** Begins the next chunk empty, after one with so many bytes of objects. */
    void clearAll(long endBytes) {
        if (objects.length > 2 * RawFormat.CHUNK_LIMIT_BYTES) {
            objects = new byte[INITIAL_BYTES];
            bitmap = new long[INITIAL_BYTES >> RawFormat.BITMAP_SLOT_SHIFT + 6];
        } else {
            clear(0, (int) Math.min(endBytes, objects.length));
        }
        patchCount = 0;
        classes.count = 0;
        constants.count = 0;
        constantCount = 0;
        beginRecord(0);
    }

    /** A copy of the chunk as it was before the current record. */
    RawChunk beforeRecord() {
        RawChunk copy = new RawChunk();
        copy.reserve(recordBytes);
        System.arraycopy(objects, 0, copy.objects, 0, recordBytes);
        int slots = recordBytes >> RawFormat.BITMAP_SLOT_SHIFT;
        System.arraycopy(bitmap, 0, copy.bitmap, 0, bitmapWords(recordBytes));
        copy.bitmap[slots >> 6] &= (1L << slots) - 1;
        copy.patches = Arrays.copyOf(patches, patches.length);
        copy.patchCount = recordPatches;
        copy.classes.add(classes.bytes, 0, recordClassBytes);
        copy.constants.add(constants.bytes, 0, recordConstantBytes);
        copy.constantCount = recordConstants;
        copy.beginRecord(recordBytes);
        return copy;
    }
}
