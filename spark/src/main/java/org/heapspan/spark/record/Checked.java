package org.heapspan.spark.record;

import java.io.NotSerializableException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;

/** Throws exceptions that Java checks out of methods of Scala classes, which declare none and of which Spark expects them. */
final class Checked {
    private Checked() {}

    /**
     * Throws.
     *
     * @return never; for callers to {@code throw}, so that the compiler sees the end
     */
    static RuntimeException thrown(Exception exception) {
        Checked.<RuntimeException>raise(exception);
        throw new AssertionError("raise returned", exception);
    }

    /**
     * Throws what Spark expects when an object cannot be written: it gives a job up at once on a {@link NotSerializableException}
     * ({@code core/.../scheduler/TaskSetManager.scala}), and tries the task again on anything else.
     *
     * @return as above
     */
    static RuntimeException thrown(HeapspanException exception) {
        if (exception.category() != Category.CLASS_REFUSED) {
            throw exception;
        }
        NotSerializableException refused = new NotSerializableException(exception.getMessage());
        refused.initCause(exception);
        throw thrown(refused);
    }

    @SuppressWarnings("unchecked") // The point of it.
    private static <E extends Exception> void raise(Exception exception) throws E {
        throw (E) exception;
    }
}
