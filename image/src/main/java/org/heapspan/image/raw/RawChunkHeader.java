package org.heapspan.image.raw;

import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;

/**
 * The header of a chunk of a raw image ({@link RawFormat}), and the offsets of the parts of the chunk, in bytes from its beginning. The
 * offsets are valid after a check that the end of the tables is within the frame. Instances are reused.
 */
public final class RawChunkHeader {
    private long firstUnit;
    private int unitCount;
    private int flags;
    private int classBytes;
    private int constantPatchCount;
    private int sidePatchCount;
    private int rootCount;
    private int extensionCount;
    private int exportCount;
    private int constantCount;

    private int constantPatches;
    private int sidePatches;
    private int roots;
    private int extensions;
    private int exports;
    private long tablesEnd;

    /** Reads a header of {@link RawFormat#HEADER_BYTES}. */
    public void decode(byte[] bytes, int position) {
        firstUnit = word(bytes, position + RawFormat.FIRST_UNIT_OFFSET) & 0xFFFFFFFFL;
        unitCount = word(bytes, position + RawFormat.UNIT_COUNT_OFFSET);
        flags = word(bytes, position + RawFormat.FLAGS_OFFSET);
        classBytes = word(bytes, position + RawFormat.CLASS_BYTES_OFFSET);
        constantPatchCount = word(bytes, position + RawFormat.CONSTANT_PATCHES_OFFSET);
        sidePatchCount = word(bytes, position + RawFormat.SIDE_PATCHES_OFFSET);
        rootCount = word(bytes, position + RawFormat.ROOTS_OFFSET);
        extensionCount = word(bytes, position + RawFormat.EXTENSIONS_OFFSET);
        exportCount = word(bytes, position + RawFormat.EXPORTS_OFFSET);
        constantCount = word(bytes, position + RawFormat.CONSTANTS_OFFSET);
        // Unsigned counts of at most 8 bytes each: the sum cannot overflow.
        long objectBytes = (unitCount & 0xFFFFFFFFL) << RawFormat.UNIT_SHIFT;
        long at =
                RawFormat.HEADER_BYTES + (classBytes & 0xFFFFFFFFL) + objectBytes + RawFormat.bitmapBytes(objectBytes);
        constantPatches = (int) at;
        at += (constantPatchCount & 0xFFFFFFFFL) * RawFormat.CONSTANT_PATCH_BYTES;
        sidePatches = (int) at;
        at += (sidePatchCount & 0xFFFFFFFFL) * RawFormat.SIDE_PATCH_BYTES;
        roots = (int) at;
        at += (rootCount & 0xFFFFFFFFL) * RawFormat.ROOT_BYTES;
        extensions = (int) at;
        at += (extensionCount & 0xFFFFFFFFL) * RawFormat.EXTENSION_BYTES;
        exports = (int) at;
        tablesEnd = at + (exportCount & 0xFFFFFFFFL) * RawFormat.EXPORT_BYTES;
    }

    private static int word(byte[] bytes, int position) {
        return (int) ImageFormat.INT.get(bytes, position);
    }

    /** Number of the place of the first object, in units from the beginning of the object space. */
    public long firstUnit() {
        return firstUnit;
    }

    int flags() {
        return flags;
    }

    boolean hasUnknownFlags() {
        return (flags & ~RawFormat.KNOWN_FLAGS) != 0;
    }

    boolean begins() {
        return (flags & RawFormat.FLAG_BEGINS) != 0;
    }

    boolean ends() {
        return (flags & RawFormat.FLAG_ENDS) != 0;
    }

    boolean continues() {
        return (flags & RawFormat.FLAG_CONTINUES) != 0;
    }

    /** Whether the tables name every object to which the compact parts of the chunk's records refer. */
    boolean isWhole() {
        return (flags & RawFormat.FLAG_WHOLE) != 0;
    }

    /** Where the objects begin. */
    public int objects() {
        return RawFormat.HEADER_BYTES + classBytes;
    }

    public int objectBytes() {
        return unitCount << RawFormat.UNIT_SHIFT;
    }

    /** Where the bitmap begins. */
    public int bitmap() {
        return objects() + objectBytes();
    }

    public int constantPatches() {
        return constantPatches;
    }

    public int constantPatchCount() {
        return constantPatchCount;
    }

    public int sidePatches() {
        return sidePatches;
    }

    public int sidePatchCount() {
        return sidePatchCount;
    }

    public int roots() {
        return roots;
    }

    public int rootCount() {
        return rootCount;
    }

    int extensions() {
        return extensions;
    }

    int extensionCount() {
        return extensionCount;
    }

    int exports() {
        return exports;
    }

    int exportCount() {
        return exportCount;
    }

    /** Constants follow the tables. */
    int constantCount() {
        return constantCount;
    }

    /** Where the tables end; the least that the chunk takes. */
    public long tablesEnd() {
        return tablesEnd;
    }
}
