package org.heapspan.image;

import org.heapspan.vm.RawMemory;

/**
 * Rows of string fields, for the generated codecs of classes that have many. A loop, because straight-line code for dozens of
 * strings in each of dozens of classes keeps the JIT busy for a long time and wins nothing.
 */
final class StringFields {
    private StringFields() {}

    private static final RawMemory RAW = Access.raw();

    /** Writes the strings at the position; returns the position behind them. */
    static int write(ImageWriter writer, Object owner, long[] offsets, int position) {
        int p = position;
        for (long offset : offsets) {
            p = ReferenceField.writeString(writer, owner, offset, offset, p);
        }
        return p;
    }

    static void read(ImageReader reader, Object owner, long[] offsets) {
        for (long offset : offsets) {
            RAW.putReference(owner, offset, reader.readString());
        }
    }
}
