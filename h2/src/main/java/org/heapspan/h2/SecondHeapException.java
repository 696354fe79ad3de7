package org.heapspan.h2;

import org.heapspan.HeapspanException;
import org.jspecify.annotations.Nullable;

/**
 * An operation of the second heap failed. Categories: {@code LIMIT}, the capacity is used up or an image is too long; {@code IO}, a file could not
 * be written or read, for example because the disk is full; {@code USAGE}, the heap, handle, iterator or appender has been closed, or the call is
 * not possible now; {@code ACCESS}, this JVM cannot encrypt; {@code MALFORMED}, a shared object or a constant is gone.
 *
 * <p>If a write fails ({@code LIMIT} or {@code IO}), nothing is lost. Roots that could not be moved stay on the Java heap. {@link
 * H2Appender#takeBack} returns the elements that were appended, or says in its own exception why they are lost. If a read fails ({@code IO}), the
 * device cannot deliver a root that is no longer on the Java heap.
 */
public final class SecondHeapException extends HeapspanException {
    private static final long serialVersionUID = 1L;

    /** Whether nothing but what was to be stored is to blame: it would be too long for an empty heap, too. */
    private final boolean tooLong;

    SecondHeapException(Category category, String message) {
        this(category, message, null);
    }

    SecondHeapException(Category category, String message, @Nullable Throwable cause) {
        this(category, message, cause, false);
    }

    private SecondHeapException(Category category, String message, @Nullable Throwable cause, boolean tooLong) {
        super(category, message, cause);
        this.tooLong = tooLong;
    }

    /** What to throw for a piece that no heap of this capacity can take. */
    static SecondHeapException tooLong(long length, long mostPieceBytes) {
        return new SecondHeapException(
                Category.LIMIT,
                "one image has " + length + " bytes, the longest that the second heap can store has " + mostPieceBytes
                        + "; split it into elements (SecondHeap.append)",
                null,
                true);
    }

    /** The same, for an image that was refused before its length was known. */
    static SecondHeapException longerThan(long mostBytes, HeapspanException cause) {
        return new SecondHeapException(
                Category.LIMIT,
                "one image has more than " + mostBytes
                        + " bytes, which is the longest that the second heap can store; split it into elements"
                        + " (SecondHeap.append)",
                cause,
                true);
    }

    boolean isTooLong() {
        return tooLong;
    }

    /** The same failure, for another thread that meets it: each throws an exception with its own trace. */
    SecondHeapException again() {
        return new SecondHeapException(category(), String.valueOf(getMessage()), this, tooLong);
    }
}
