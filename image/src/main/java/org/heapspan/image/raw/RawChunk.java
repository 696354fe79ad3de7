package org.heapspan.image.raw;

import java.util.Arrays;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;

/**
 * A chunk of a raw image that is being written: objects, the bitmap of their reference slots, patches, roots, and the classes and constants
 * that are new in it. It knows where the current record begins, so that the chunk can end there, or the record can be removed. Not
 * thread-safe.
 */
final class RawChunk {
    private static final int INITIAL_BYTES = 4 << 10;

    private static final int KEPT_BYTES = 1 << 20;
    private static final int LEAST_LEAD_BYTES = 1 << 10;
    private static final int MOST_LEAD_BYTES = 1 << 16;

    /** Objects, with room before them for what an image has there; before that frames that stay where they are. */
    byte[] objects = new byte[INITIAL_BYTES];

    /** Where the chunk's first unit lies. */
    int base;

    private int frameStart;

    /** What an image's first chunk leaves before its objects; learned from the images before. */
    private int leadBytes = LEAST_LEAD_BYTES;

    private final long[] bitmap = new long[(RawFormat.CHUNK_LIMIT_BYTES >> RawFormat.BITMAP_SLOT_SHIFT + 6) + 1];

    private final Ints constantPatches = new Ints();
    private final Ints sidePatches = new Ints();
    private final Ints roots = new Ints();
    private final Ints extensions = new Ints();
    private final Ints exports = new Ints();
    private final Bytes classes = new Bytes();
    private final Bytes constants = new Bytes();
    private int constantCount;

    // Of the constant patches: the latest, and whether one came after another that lies behind it.
    private int latestSlot;
    private boolean disordered;

    // What had been written when the current record began.
    private int recordBytes;
    private int recordConstantPatches;
    private int recordSidePatches;
    private int recordRoots;
    private int recordExtensions;
    private int recordExports;
    private int recordClassBytes;
    private int recordConstantBytes;
    private int recordConstants;

    /** Numbers of 4 bytes that grow at their end. */
    private static final class Ints {
        private int[] values = new int[32];
        private int count;

        void add(int value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, count * 2);
            }
            values[count++] = value;
        }

        void addAll(Ints other, int otherCount) {
            values = Arrays.copyOf(other.values, Math.max(otherCount, 32));
            count = otherCount;
        }

        int sizeBytes() {
            return count * Integer.BYTES;
        }

        int put(byte[] target, int position) {
            int p = position;
            for (int i = 0; i < count; i++) {
                ImageFormat.INT.set(target, p, values[i]);
                p += Integer.BYTES;
            }
            return p;
        }

        /** Brings pairs into the order of their first numbers, which are not negative. */
        void sortPairs() {
            long[] pairs = new long[count / 2];
            for (int i = 0; i < pairs.length; i++) {
                pairs[i] = (long) values[2 * i] << Integer.SIZE | values[2 * i + 1] & 0xFFFFFFFFL;
            }
            Arrays.sort(pairs);
            for (int i = 0; i < pairs.length; i++) {
                values[2 * i] = (int) (pairs[i] >>> Integer.SIZE);
                values[2 * i + 1] = (int) pairs[i];
            }
        }

        /** Brings the values into ascending order, as unsigned numbers, each once. */
        void sortDistinct() {
            for (int i = 0; i < count; i++) {
                values[i] += Integer.MIN_VALUE;
            }
            Arrays.sort(values, 0, count);
            int kept = 0;
            for (int i = 0; i < count; i++) {
                if (i == 0 || values[i] != values[i - 1]) {
                    values[kept++] = values[i];
                }
            }
            count = kept;
            for (int i = 0; i < count; i++) {
                values[i] += Integer.MIN_VALUE;
            }
        }
    }

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

    /** Begins an image. */
    void beginImage() {
        frameStart = 0;
        base = leadBytes;
    }

    /** Lets go of memory that most images do not need. */
    void release() {
        if (objects.length > KEPT_BYTES) {
            objects = new byte[INITIAL_BYTES];
        }
    }

    /** Begins the next chunk, behind frames that stay up to an end, or anywhere if that is 0. */
    void beginFrame(int keptEnd) {
        frameStart = keptEnd;
        base = keptEnd == 0 ? leadBytes : keptEnd + ImageFormat.FRAME_HEADER_BYTES + RawFormat.HEADER_BYTES;
    }

    /** Makes room for objects up to an end. */
    void reserve(int end) {
        if (end > objects.length) {
            objects = Arrays.copyOf(objects, (int) Math.min(Math.max(end, objects.length * 2L), MOST_BYTES));
        }
    }

    private static final int MOST_BYTES = Integer.MAX_VALUE - 16;

    void markReference(int position) {
        int slot = position - base >> RawFormat.BITMAP_SLOT_SHIFT;
        bitmap[slot >> 6] |= 1L << slot;
    }

    void patchConstant(int position, int constant) {
        int slot = position - base >> RawFormat.BITMAP_SLOT_SHIFT;
        disordered |= slot < latestSlot;
        latestSlot = slot;
        constantPatches.add(slot);
        constantPatches.add(constant);
    }

    /** Notes that the slot at an offset of an object refers to a side object. */
    void patchSide(int holderUnit, long offset, int side) {
        sidePatches.add(holderUnit);
        sidePatches.add(side);
        sidePatches.add((int) offset);
        sidePatches.add((int) (offset >>> Integer.SIZE));
    }

    /** Notes the root of a record: a unit, or 0. */
    void addRoot(int unit) {
        roots.add(unit);
    }

    /** Notes that the latest root's record goes on in the compact part. */
    void extend(int firstUnit) {
        extensions.add(roots.count - 1);
        extensions.add(firstUnit);
    }

    /** Notes an object to which the compact part refers. */
    void export(int unit) {
        exports.add(unit);
    }

    /** Whether a record ends in the chunk. */
    boolean hasRoots() {
        return roots.count > 0;
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
        recordConstantPatches = constantPatches.count;
        recordSidePatches = sidePatches.count;
        recordRoots = roots.count;
        recordExtensions = extensions.count;
        recordExports = exports.count;
        recordClassBytes = classes.count;
        recordConstantBytes = constants.count;
        recordConstants = constantCount;
    }

    /** Takes the record back, of which objects up to an end may have been written. */
    void cutRecord(long endBytes) {
        clear(recordBytes, endBytes);
        constantPatches.count = recordConstantPatches;
        latestSlot = 0;
        sidePatches.count = recordSidePatches;
        roots.count = recordRoots;
        extensions.count = recordExtensions;
        exports.count = recordExports;
        classes.count = recordClassBytes;
        constants.count = recordConstantBytes;
        constantCount = recordConstants;
    }

    private void clear(int start, long end) {
        int words = (int) Math.min((end >> RawFormat.BITMAP_SLOT_SHIFT) + 63 >> 6, (long) bitmap.length);
        int firstSlot = start >> RawFormat.BITMAP_SLOT_SHIFT;
        int word = firstSlot >> 6;
        if (word < words) {
            bitmap[word] &= (1L << firstSlot) - 1;
            Arrays.fill(bitmap, word + 1, words, 0);
        }
    }

    /** Brings what was noted in any order into that of the image, before {@link #close}. */
    void complete() {
        exports.sortDistinct();
        if (disordered) {
            constantPatches.sortPairs();
        }
    }

    /** Bytes of the chunk in the image if it ended now with so many bytes of objects; the most it can be before {@link #complete}. */
    int sizeBytes(int objectBytes) {
        return RawFormat.HEADER_BYTES
                + classes.count
                + objectBytes
                + bitmapWords(objectBytes) * Long.BYTES
                + constantPatches.sizeBytes()
                + sidePatches.sizeBytes()
                + roots.sizeBytes()
                + extensions.sizeBytes()
                + exports.sizeBytes()
                + constants.count;
    }

    private static int bitmapWords(int objectBytes) {
        return (objectBytes >> RawFormat.BITMAP_SLOT_SHIFT) + 63 >> 6;
    }

    /**
     * Puts around the objects what belongs there.
     *
     * @param bytesBefore what comes before the chunk in its frame, and before the frame in the image
     * @param bytesBehind what comes behind the chunk in its frame
     * @return where the chunk begins
     */
    int close(int bytesBefore, int firstUnit, int objectBytes, int flags, int bytesBehind) {
        int needed = bytesBefore + RawFormat.HEADER_BYTES + classes.count;
        int shift = frameStart + needed - base;
        int room = sizeBytes(objectBytes) - RawFormat.HEADER_BYTES - classes.count + bytesBehind;
        if (shift > 0) {
            // More classes or types than usual: move the objects, and leave more room in the next image.
            reserveBytes(base + shift + room);
            System.arraycopy(objects, base, objects, base + shift, objectBytes);
            base += shift;
            if (frameStart == 0) {
                leadBytes = Math.min(needed + needed / 4, MOST_LEAD_BYTES);
            }
        } else {
            reserveBytes(base + room);
        }
        int start = base - classes.count - RawFormat.HEADER_BYTES;
        byte[] target = objects;
        ImageFormat.INT.set(target, start + RawFormat.FIRST_UNIT_OFFSET, firstUnit);
        ImageFormat.INT.set(target, start + RawFormat.UNIT_COUNT_OFFSET, objectBytes >> RawFormat.UNIT_SHIFT);
        ImageFormat.INT.set(target, start + RawFormat.FLAGS_OFFSET, flags);
        ImageFormat.INT.set(target, start + RawFormat.CLASS_BYTES_OFFSET, classes.count);
        putCount(target, start + RawFormat.CONSTANT_PATCHES_OFFSET, constantPatches, RawFormat.CONSTANT_PATCH_BYTES);
        putCount(target, start + RawFormat.SIDE_PATCHES_OFFSET, sidePatches, RawFormat.SIDE_PATCH_BYTES);
        putCount(target, start + RawFormat.ROOTS_OFFSET, roots, RawFormat.ROOT_BYTES);
        putCount(target, start + RawFormat.EXTENSIONS_OFFSET, extensions, RawFormat.EXTENSION_BYTES);
        putCount(target, start + RawFormat.EXPORTS_OFFSET, exports, RawFormat.EXPORT_BYTES);
        ImageFormat.INT.set(target, start + RawFormat.CONSTANTS_OFFSET, constantCount);
        System.arraycopy(classes.bytes, 0, target, start + RawFormat.HEADER_BYTES, classes.count);
        int p = base + objectBytes;
        int words = bitmapWords(objectBytes);
        for (int i = 0; i < words; i++) {
            ImageFormat.LONG.set(target, p, bitmap[i]);
            p += Long.BYTES;
        }
        p = constantPatches.put(target, p);
        p = sidePatches.put(target, p);
        p = roots.put(target, p);
        p = extensions.put(target, p);
        p = exports.put(target, p);
        System.arraycopy(constants.bytes, 0, target, p, constants.count);
        return start;
    }

    private void reserveBytes(long end) {
        if (end > MOST_BYTES) {
            throw new HeapspanException(
                    Category.LIMIT, "a frame of a raw image would end at byte " + end + " of an array");
        }
        if (end > objects.length) {
            objects = Arrays.copyOf(objects, (int) Math.min(Math.max(end, objects.length * 2L), MOST_BYTES));
        }
    }

    private static void putCount(byte[] target, int position, Ints table, int entryBytes) {
        ImageFormat.INT.set(target, position, table.sizeBytes() / entryBytes);
    }

    /** Begins the next chunk empty, after one with so many bytes of objects. */
    void clearAll(long endBytes) {
        clear(0, endBytes);
        constantPatches.count = 0;
        latestSlot = 0;
        disordered = false;
        sidePatches.count = 0;
        roots.count = 0;
        extensions.count = 0;
        exports.count = 0;
        classes.count = 0;
        constants.count = 0;
        constantCount = 0;
        beginRecord(0);
    }

    /** A copy of the chunk as it was before the current record. */
    RawChunk beforeRecord() {
        RawChunk copy = new RawChunk();
        copy.leadBytes = leadBytes;
        copy.beginImage();
        copy.reserve(copy.base + recordBytes);
        System.arraycopy(objects, base, copy.objects, copy.base, recordBytes);
        int slots = recordBytes >> RawFormat.BITMAP_SLOT_SHIFT;
        System.arraycopy(bitmap, 0, copy.bitmap, 0, Math.min(bitmapWords(recordBytes), bitmap.length));
        copy.bitmap[slots >> 6] &= (1L << slots) - 1;
        copy.constantPatches.addAll(constantPatches, recordConstantPatches);
        copy.disordered = disordered;
        copy.sidePatches.addAll(sidePatches, recordSidePatches);
        copy.roots.addAll(roots, recordRoots);
        copy.extensions.addAll(extensions, recordExtensions);
        copy.exports.addAll(exports, recordExports);
        copy.classes.add(classes.bytes, 0, recordClassBytes);
        copy.constants.add(constants.bytes, 0, recordConstantBytes);
        copy.constantCount = recordConstants;
        copy.beginRecord(recordBytes);
        return copy;
    }
}
