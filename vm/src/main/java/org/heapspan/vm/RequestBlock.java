package org.heapspan.vm;

/**
 * Layout of the native memory by which a request reaches native code and its statistics come back: struct {@code CarveRequest} in
 * {@code native/src/carving/carver.h}. Every field takes 8 bytes.
 */
final class RequestBlock {
    static final int CONTEXT_ADDRESS = 0;
    static final int IMAGE_ADDRESS = 8;
    static final int IMAGE_BYTES = 16;
    static final int FIRST_UNIT = 24;
    static final int PIECES_ADDRESS = 32;
    static final int PIECE_COUNT = 40;
    static final int CLASS_PAIRS_ADDRESS = 48;
    static final int CLASS_PAIR_COUNT = 56;
    static final int CLASS_TABLE_ADDRESS = 64;
    static final int CLASS_TABLE_CAPACITY = 72;
    static final int TARGET_LENGTH = 80;
    static final int LONGEST_NANOS = 88;
    static final int WINDOWS_BY_LENGTH = 96;

    // Of a piece, struct CarvePiece.
    static final int OBJECTS_OFFSET = 0;
    static final int OBJECT_BYTES = 8;
    static final int BITMAP_OFFSET = 16;
    static final int CONSTANT_PATCHES_OFFSET = 24;
    static final int CONSTANT_PATCH_COUNT = 32;
    static final int ROOTS_OFFSET = 40;
    static final int ROOT_COUNT = 48;
    static final int EXPORTS_OFFSET = 56;
    static final int EXPORT_COUNT = 64;
    static final int PIECE_BYTES = 72;

    static final int BUCKETS = 32;
    static final int BYTES = WINDOWS_BY_LENGTH + BUCKETS * Long.BYTES;

    /** Of an entry of {@code ClassWordTable}. */
    static final int CLASS_TABLE_ENTRY_BYTES = 24;

    /** Where the class number lies in the mark word of a compact header: {@code src/hotspot/share/oops/markWord.hpp}, JDK 24 and 25. */
    static final int COMPACT_CLASS_SHIFT = 42;

    private RequestBlock() {}
}
