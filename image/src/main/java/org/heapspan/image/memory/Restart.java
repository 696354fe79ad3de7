package org.heapspan.image.memory;

/**
 * Thrown within {@code ImageWriter} when a record turns out not to suit the fast identity table: it is written again with the
 * table that suits every graph. Never leaves the writer.
 */
public final class Restart extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("StaticAssignmentOfThrowable") // It has no stack trace and no state.
    public static final Restart INSTANCE = new Restart();

    private Restart() {
        super(null, null, false, false);
    }
}
