package org.heapspan.tests.publication;

import java.io.Serializable;
import java.util.Objects;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.vm.VirtualMachine;

/** A graph that the direct engine makes, and what a thread can see of it. */
final class Carved implements Serializable {
    /** Nothing yet. */
    static final int ABSENT = -1;

    /** A field is still zero, as Java's memory model allows without publication. */
    static final int ZEROS = 0;

    /** All that was encoded. */
    static final int WHOLE = 1;

    /** A class or a length that no object may show. */
    static final int HALF_MADE = 2;

    private static final int NUMBER = 77;
    private static final String TEXT = "what others see";
    private static final Heapspan HEAPSPAN = Heapspan.builder().checksum(false).build();
    private static final byte[] IMAGE = HEAPSPAN.encode(new Carved(), Encoding.RAW);

    static {
        if (VirtualMachine.current().carver() == null) {
            throw new IllegalStateException(
                    "no direct engine: " + VirtualMachine.current().findings());
        }
    }

    private final int number = NUMBER;
    private final String text = TEXT;
    private final Object[] array = {this, text, new long[] {NUMBER}};
    private Object self = this;

    /** Makes a copy. */
    static Carved decode() {
        return Objects.requireNonNull(HEAPSPAN.decodeTrusted(IMAGE, Carved.class));
    }

    /** The array of a copy, itself made by the direct engine. */
    Object[] array() {
        return array;
    }

    /** What the calling thread sees of a copy. */
    static int seen(Object object) {
        if (object == null) {
            return ABSENT;
        }
        if (object.getClass() != Carved.class) {
            return HALF_MADE;
        }
        Carved carved = (Carved) object;
        if (carved.number == 0 || carved.text == null || carved.self == null || carved.array == null) {
            return ZEROS;
        }
        if (carved.number != NUMBER || carved.self != object || carved.text.getClass() != String.class) {
            return HALF_MADE;
        }
        return carved.text.equals(TEXT) ? seenArray(carved.array) : ZEROS;
    }

    /** What the calling thread sees of the array of a copy. */
    static int seenArray(Object array) {
        if (array == null) {
            return ABSENT;
        }
        if (array.getClass() != Object[].class || ((Object[]) array).length != 3) {
            return HALF_MADE;
        }
        Object[] elements = (Object[]) array;
        if (elements[0] == null || elements[1] == null || elements[2] == null) {
            return ZEROS;
        }
        if (elements[0].getClass() != Carved.class
                || elements[1].getClass() != String.class
                || elements[2].getClass() != long[].class
                || ((long[]) elements[2]).length != 1) {
            return HALF_MADE;
        }
        return ((long[]) elements[2])[0] == NUMBER ? WHOLE : ZEROS;
    }
}
