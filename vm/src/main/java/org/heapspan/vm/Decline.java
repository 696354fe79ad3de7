package org.heapspan.vm;

/** Why {@link CarvingSpace#carve} made no objects. The portable engine then reads the same image. */
public enum Decline {
    /** The latest request was not declined, or there was none. */
    NONE(0),
    /** A collection came between, or the young generation was full: the memory does not lie in Eden. */
    NOT_EDEN(1),
    /** The objects would not fit into one region of G1's Eden, or would make the window too long. */
    TOO_LARGE(2),
    /** The heap had no room for the objects in one piece, or the process none for a workspace. */
    COLLECTOR_BUSY(3),
    /** {@code -Xcheck:jni} on JDK 17 and 21 gives out copies of arrays instead of the arrays. */
    COPIED_ARRAY(4),
    /** The request contradicts itself or the image: a range outside the image, a unit that no object has, sizes that do not add up. */
    MALFORMED(5),
    /** A class word belongs to no class whose facts this carver gave out. */
    UNKNOWN_CLASS(6),
    /** The memory is not what was allocated: a defect of Heapspan. */
    WRONG_TARGET(7);

    private static final Decline[] BY_NUMBER = values();

    private final int number;

    Decline(int number) {
        this.number = number;
    }

    /** The number in {@code native/src/carving/decline.h}. */
    int number() {
        return number;
    }

    static Decline of(long number) {
        for (Decline decline : BY_NUMBER) {
            if (decline.number == number) {
                return decline;
            }
        }
        return MALFORMED;
    }
}
