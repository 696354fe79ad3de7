package org.heapspan.nativerdd;

import java.nio.charset.StandardCharsets;

/** A native program failed, or cannot be used here. The message says why and, where that is known, the operator and the partition. */
public final class NativeProgramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param message what failed, what was found, what was expected, what to do
     */
    public NativeProgramException(String message) {
        super(message);
    }

    /**
     * Makes an exception.
     *
     * @param message what failed, what was found, what was expected, what to do
     * @param cause what led to it
     */
    public NativeProgramException(String message, Throwable cause) {
        super(message, cause);
    }

    /** What a program said in a {@code heapspan_error}. */
    static NativeProgramException of(String where, byte[] error) {
        String operator = text(error, 0, BoundaryLibrary.OPERATOR_BYTES);
        String message = text(error, BoundaryLibrary.OPERATOR_BYTES, BoundaryLibrary.ERROR_BYTES);
        return new NativeProgramException(where
                + (operator.isEmpty() ? "" : ", operator " + operator)
                + ": "
                + (message.isEmpty() ? "the program failed without a message" : message));
    }

    private static String text(byte[] bytes, int from, int to) {
        int end = from;
        while (end < to && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.UTF_8);
    }
}
