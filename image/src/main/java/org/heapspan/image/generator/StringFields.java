package org.heapspan.image.generator;

import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.StringForm;
import org.heapspan.image.memory.Access;
import org.heapspan.vm.RawMemory;

/**
 * Rows of string fields, for the generated codecs of classes that have many. A loop, because straight-line code for dozens of
 * strings in each of dozens of classes keeps the JIT busy for a long time and wins nothing.
 */
final class StringFields {
    private StringFields() {}

    private static final RawMemory RAW = Access.raw();

    /** So many strings are looked at before the first of them is written, so that the waits for memory overlap. */
    private static final int AHEAD = 8;

    /** Writes the strings at the position; returns the position behind them. */
    static int write(ImageWriter writer, Object owner, long[] offsets, int position) {
        int p = position;
        for (int first = 0; first < offsets.length; first += AHEAD) {
            int end = Math.min(first + AHEAD, offsets.length);
            if (StringForm.readsInsides()) {
                p = StringForm.reserveUnit(writer, sizeBytes(owner, offsets, first, end), end - first, p);
            }
            for (int i = first; i < end; i++) {
                p = ReferenceField.writeString(writer, owner, offsets[i], offsets[i], p);
            }
        }
        return p;
    }

    private static long sizeBytes(Object owner, long[] offsets, int first, int end) {
        long sizeBytes = 0;
        for (int i = first; i < end; i++) {
            sizeBytes += StringForm.valueOf((String) RAW.getReference(owner, offsets[i])).length;
        }
        return sizeBytes;
    }

    static void read(ImageReader reader, Object owner, long[] offsets) {
        for (long offset : offsets) {
            RAW.putReference(owner, offset, reader.readString());
        }
    }
}
