package org.heapspan.image.type;

import java.util.ArrayList;
import java.util.List;

/**
 * The form of an object's fields in an image: a block with all primitive fields, then the references.
 *
 * <pre>
 * block      = control double* float* (short | char)* byte* int* long*
 * control    = booleans, padded to an even number of bits; two bits for each int; two bits for each long
 * int        = 1 to 4 bytes: its low bytes, as many as keep its value; control holds the count - 1
 * long       = 1, 2, 4 or 8 bytes; control holds the binary logarithm of the count
 * references = string slots, then reference slots
 * </pre>
 *
 * <p>The control bits come first, in whole bytes, low bits first, so that a reader knows all lengths without looking at the
 * values: neither side branches on values.
 */
public final class FieldBlock {
    /** A field with its place in the description. */
    public record Slot(TypeDescription.Level level, TypeDescription.Field field) {
        public char code() {
            return field.code();
        }
    }

    private static final String ORDER = "ZDFSCBIJTL";

    /** All fields in the order in which they are written. */
    public final List<Slot> slots;

    final int booleans;
    final int ints;
    final int longs;
    final int doubles;
    final int floats;
    final int halves;
    final int bytes;

    public FieldBlock(List<TypeDescription.Level> levels) {
        List<Slot> all = new ArrayList<>();
        // Fields of one kind stay in the order of the description.
        for (int rank = 0; rank < ORDER.length(); rank++) {
            for (TypeDescription.Level level : levels) {
                for (TypeDescription.Field field : level.fields()) {
                    if (rank(field.code()) == rank) {
                        all.add(new Slot(level, field));
                    }
                }
            }
        }
        slots = List.copyOf(all);
        booleans = count("Z");
        ints = count("I");
        longs = count("J");
        doubles = count("D");
        floats = count("F");
        halves = count("SC");
        bytes = count("B");
    }

    private static int rank(char code) {
        return switch (code) {
            case 'C' -> ORDER.indexOf('S');
            default -> ORDER.indexOf(code);
        };
    }

    private int count(String codes) {
        int count = 0;
        for (Slot slot : slots) {
            if (codes.indexOf(slot.code()) >= 0) {
                count++;
            }
        }
        return count;
    }

    public List<Slot> slots(String codes) {
        List<Slot> found = new ArrayList<>();
        for (Slot slot : slots) {
            if (codes.indexOf(slot.code()) >= 0) {
                found.add(slot);
            }
        }
        return found;
    }

    /** How many of the slots, the first ones, are of primitive fields. */
    public int primitives() {
        return booleans + doubles + floats + halves + bytes + ints + longs;
    }

    int booleanBits() {
        return booleans + (booleans & 1);
    }

    public int controlBytes() {
        return (booleanBits() + 2 * ints + 2 * longs + 7) / 8;
    }

    /** The most bytes the block may have. */
    public int limitBytes() {
        return controlBytes() + 8 * doubles + 4 * floats + 2 * halves + bytes + 4 * ints + 8 * longs;
    }

    /** How many bytes beyond its end the code that reads or writes the block may touch. */
    public static final int SLACK_BYTES = 8;

    /** The count of bytes less one that keep an int's value. */
    public static int intCode(int value) {
        return (32 - Integer.numberOfLeadingZeros(value ^ value >> 31)) >>> 3;
    }

    /** The binary logarithm of the count of bytes, out of 1, 2, 4 and 8, that keep a long's value. */
    public static int longCode(long value) {
        int leastBytesLessOne = (64 - Long.numberOfLeadingZeros(value ^ value >> 63)) >>> 3;
        return 32 - Integer.numberOfLeadingZeros(leastBytesLessOne);
    }

    public static int intOf(int word, int code) {
        int shift = 24 - 8 * code;
        return word << shift >> shift;
    }

    public static long longOf(long word, int code) {
        int shift = 64 - (8 << code);
        return word << shift >> shift;
    }
}
