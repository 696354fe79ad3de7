package org.heapspan.h2;

import org.heapspan.HeapspanException;
import org.jspecify.annotations.Nullable;

/**
 * The second heap could not do what was asked. Its categories: {@code LIMIT}, the capacity is used up; {@code IO}, a file could not be
 * written or read, as when the disk is full; {@code USAGE}, the heap, handle or appender has been closed.
 *
 * <p>After a failure of {@code LIMIT} or {@code IO} nothing is lost: roots that could not be moved are on the Java heap as before, and an
 * {@link H2Appender} gives back what it has taken.
 */
public final class SecondHeapException extends HeapspanException {
    private static final long serialVersionUID = 1L;

    SecondHeapException(Category category, String message) {
        super(category, message);
    }

    SecondHeapException(Category category, String message, @Nullable Throwable cause) {
        super(category, message, cause);
    }

    /** The same failure, for another thread that meets it: each throws an exception with its own trace. */
    SecondHeapException again() {
        return new SecondHeapException(category(), String.valueOf(getMessage()), this);
    }
}
