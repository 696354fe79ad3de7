package org.heapspan.spark;

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

    @SuppressWarnings("unchecked") // The point of it.
    private static <E extends Exception> void raise(Exception exception) throws E {
        throw (E) exception;
    }
}
