package org.apache.spark.heapspan;

import java.util.HexFormat;

/**
 * The difference between Spark's class file of {@code SizeEstimator$} and the changed one. It adds a static field, {@value #FUNCTION}, and the following lines at
 * the start of {@code estimate(Object)}. Everything else stays as it is.
 *
 * <pre>{@code
 * ToLongFunction function = heapspan$function;
 * if (function != null) {
 *     long size = function.applyAsLong(object);
 *     if (size >= 0) {
 *         return size;
 *     }
 * }
 * }</pre>
 *
 * <p>The file is known byte for byte, so no library has to take it apart when a JVM starts. A test makes the changed file from these lines, and compares.
 */
final class EstimatorPatch {
    static final String FUNCTION = "heapspan$function";

    /**
     * Bytes that replace others.
     *
     * @param offset where, in Spark's file
     * @param removedBytes how many bytes of that file are left out there
     * @param inserted what comes there, in hexadecimal digits
     */
    private record Edit(int offset, int removedBytes, String inserted) {}

    /** In the order of their offsets. */
    private static final Edit[] EDITS = {
        // Nine constants more: names, types, the field and the method.
        new Edit(9, 1, "f3"),
        new Edit(
                15705,
                0,
                "010011686561707370616e2466756e6374696f6e"
                        + "0100234c6a6176612f7574696c2f66756e6374696f6e2f546f4c6f6e6746756e6374696f6e3b"
                        + "0c03ea03eb09000203ec"
                        + "0100216a6176612f7574696c2f66756e6374696f6e2f546f4c6f6e6746756e6374696f6e"
                        + "0703ee01000b6170706c7941734c6f6e670c03f001310b03ef03f1"),
        // One field more.
        new Edit(15716, 1, "15"),
        new Edit(15891, 0, "0000104903ea03eb"),
        // The method: its length, its stack and variables, the length of its code, and the code.
        new Edit(19125, 1, "67"),
        new Edit(19129, 1, "05"),
        new Edit(19133, 1, "25b203ed4d2cc600132c2bb903f20200422109949b000521ad"),
        // A frame where the original code begins, and the same code further behind in the tables for debuggers.
        new Edit(19150, 1, "0303e3000000080001fc00180703ef"),
        new Edit(19160, 1, "18"),
        new Edit(19172, 1, "18"),
        new Edit(19182, 1, "18"),
    };

    private EstimatorPatch() {}

    /** Changes Spark's file. The caller has checked that it is the known one. */
    static byte[] of(byte[] original) {
        HexFormat digits = HexFormat.of();
        int length = original.length;
        for (Edit edit : EDITS) {
            length += edit.inserted.length() / 2 - edit.removedBytes;
        }
        byte[] changed = new byte[length];
        int read = 0;
        int written = 0;
        for (Edit edit : EDITS) {
            System.arraycopy(original, read, changed, written, edit.offset - read);
            written += edit.offset - read;
            byte[] inserted = digits.parseHex(edit.inserted);
            System.arraycopy(inserted, 0, changed, written, inserted.length);
            written += inserted.length;
            read = edit.offset + edit.removedBytes;
        }
        System.arraycopy(original, read, changed, written, original.length - read);
        return changed;
    }
}
