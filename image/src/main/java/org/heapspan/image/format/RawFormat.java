package org.heapspan.image.format;

/**
 * Owner of the binary layout of what the raw encoding adds to {@link ImageFormat}: the layout of the writer's heap, chunks, and
 * the numbers within them. {@code docs/formats/image.md} is the specification, with a worked dump.
 *
 * <pre>
 * body  = [layout] chunk compact                  the layout in the first frame only
 * chunk = header class* objects bitmap constantPatch* sidePatch* root* extension* export* constant*
 *
 *  0               4               8               12              16
 * +---------------+---------------+---------------+---------------+------------------+
 * | firstUnit     | unitCount     | flags         | classBytes    | constantPatches  |
 * +---------------+---------------+---------------+---------------+------------------+
 * | sidePatches   | roots         | extensions    | exports       | constants        |
 * +---------------+---------------+---------------+---------------+------------------+
 *  20              24              28              32              36              40
 * </pre>
 */
public final class RawFormat {
    private RawFormat() {}

    /** Places in the object space are counted in units of this many bytes. */
    public static final int UNIT_SHIFT = 3;

    static final int UNIT_BYTES = 1 << UNIT_SHIFT;

    /** Reference slots are found in the bitmap by one bit for each slot of this size. */
    public static final int BITMAP_SLOT_SHIFT = 2;

    /** The object space may have this many bytes, so that a place in units fits 32 bits. */
    public static final long SPACE_LIMIT_BYTES = (1L << 32) * UNIT_BYTES;

    public static final int LAYOUT_BYTES = 32;

    public static final int HEADER_BYTES = 40;
    public static final int FIRST_UNIT_OFFSET = 0;
    public static final int UNIT_COUNT_OFFSET = 4;
    public static final int FLAGS_OFFSET = 8;
    public static final int CLASS_BYTES_OFFSET = 12;
    public static final int CONSTANT_PATCHES_OFFSET = 16;
    public static final int SIDE_PATCHES_OFFSET = 20;
    public static final int ROOTS_OFFSET = 24;
    public static final int EXTENSIONS_OFFSET = 28;
    public static final int EXPORTS_OFFSET = 32;
    public static final int CONSTANTS_OFFSET = 36;

    /** The chunk begins a record: no reference of the chunks before it leads into it. */
    public static final int FLAG_BEGINS = 1;

    /** The chunk ends a record: none of its references leads out of it forwards. */
    public static final int FLAG_ENDS = 2;

    /** The chunk begins within an array that the chunk before began. */
    public static final int FLAG_CONTINUES = 4;

    /** The exports of the chunk, and of those before it in its first record, name every object to which compact parts of its records refer. */
    public static final int FLAG_WHOLE = 8;

    public static final int KNOWN_FLAGS = FLAG_BEGINS | FLAG_ENDS | FLAG_CONTINUES | FLAG_WHOLE;

    /** A slot, in 4 bytes from the chunk's first object, and the number of the constant that belongs there. */
    public static final int CONSTANT_PATCH_BYTES = 8;

    /** The unit of an object, the number of the side object to which it refers, and in 8 bytes the offset of the slot in the object. */
    public static final int SIDE_PATCH_BYTES = 16;

    /** The unit of a record's root, or 0. */
    public static final int ROOT_BYTES = 4;

    /** The number of a record among the chunk's roots, and the unit at which the record begins. */
    public static final int EXTENSION_BYTES = 8;

    /** The unit of an object. */
    public static final int EXPORT_BYTES = 4;

    /** A writer closes a chunk at the end of the record that fills it to here. */
    public static final int CHUNK_TARGET_BYTES = 128 << 10;

    /** A chunk has no more bytes of objects than this. */
    public static final int CHUNK_LIMIT_BYTES = 256 << 10;

    /** A string of up to this many bytes lies right before the array with its value. */
    public static final int STRING_PAIR_BYTES = 64 << 10;

    // What an object is, or the root of an extended record: the low bits of its number.
    public static final int ROOT_NULL = 0;
    public static final int ROOT_OBJECT = 1;
    public static final int ROOT_CONSTANT = 2;
    public static final int ROOT_SIDE = 3;
    public static final int ROOT_SHIFT = 2;

    /** Ends the side objects of a record. */
    public static final int SIDES_END = 0;

    /** The last tag below described types: a reference to a copy, and before it side objects that the copy must have. */
    public static final int TAG_REQUIRED = ImageFormat.TAG_FIRST_DESCRIBED_TYPE - 1;

    /** A mark word that says: unlocked, no identity hash ({@code src/hotspot/share/oops/markWord.hpp}, JDK 17 to 25). */
    public static final long NEUTRAL_MARK = 1;

    /** Where the class word lies in the mark word of a compact header ({@code markWord.hpp}, JDK 24 and 25). */
    public static final int COMPACT_CLASS_SHIFT = 42;

    /** Bytes of the bitmap of so many bytes of objects. */
    public static long bitmapBytes(long objectBytes) {
        return (objectBytes >> BITMAP_SLOT_SHIFT) + 63 >> 6 << 3;
    }

    public static int alignUp(int sizeBytes, int alignmentBytes) {
        return sizeBytes + alignmentBytes - 1 & -alignmentBytes;
    }

    public static long alignUp(long sizeBytes, int alignmentBytes) {
        return sizeBytes + alignmentBytes - 1 & -alignmentBytes;
    }
}
