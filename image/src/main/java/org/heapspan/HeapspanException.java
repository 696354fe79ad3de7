package org.heapspan;

import org.heapspan.image.format.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * An object graph could not be encoded, decoded or copied. The message says what failed, where, what was found, what was expected and what to
 * do. Programs use {@link #category()} and need not parse the message. The message is one printable line: control characters in names from an
 * image are escaped.
 *
 * <p>A {@link VirtualMachineError} is never among its causes, because some programs end the process if they find one there. If such an error led
 * to the failure, it is {@linkplain #getSuppressed suppressed}.
 */
public class HeapspanException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A chain of causes can be a cycle. */
    private static final int MOST_CAUSES = 100;

    /** The kinds of failures. */
    public enum Category {
        /** The bytes are not an image, or are truncated or damaged. */
        MALFORMED,
        /** The image has a format version that this version of Heapspan does not read. */
        VERSION,
        /** The image has an encoding or heap layout that this call does not accept. */
        LAYOUT,
        /**
         * An object of this class has a meaning in its own JVM only (a thread, a socket, a native address), or the class would not be found by
         * its name ({@link HeapspanBuilder#findableOnly}).
         */
        CLASS_REFUSED,
        /** The reader does not find a class of the image by its name. */
        CLASS_NOT_FOUND,
        /** A filter or the allow-list rejects the class, or decoding does not accept it without an allow-list. */
        CLASS_REJECTED,
        /** A limit on bytes, objects, array length or stack was reached. Nothing of the excessive size was allocated. */
        LIMIT,
        /** The reader's class differs from the writer's class, and the value cannot be converted. */
        EVOLUTION,
        /** A method of a class in the graph ({@code writeObject}, {@code readResolve}, {@code hashCode}, ...) failed. */
        HOOK,
        /** Reading or writing the underlying stream, channel or memory failed. */
        IO,
        /** The call is not possible in this state, or with these arguments. */
        USAGE,
        /** This JVM does not allow the access that the class needs. Run {@code heapspan doctor}. */
        ACCESS
    }

    private final Category category;

    /**
     * Creates an exception.
     *
     * @param category kind of failure
     * @param message what failed, where, actual, expected, what to do
     */
    public HeapspanException(Category category, String message) {
        this(category, message, null);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param category kind of failure
     * @param message what failed, where, actual, expected, what to do
     * @param cause the cause; added to the suppressed exceptions if it is or has a {@link VirtualMachineError}
     */
    @SuppressWarnings("this-escape") // addSuppressed is final and knows nothing of subclasses.
    public HeapspanException(Category category, String message, @Nullable Throwable cause) {
        super(PrintableText.of(message), leadsToErrorOfTheJvm(cause) ? null : cause);
        this.category = category;
        if (cause != null && leadsToErrorOfTheJvm(cause)) {
            addSuppressed(cause);
        }
    }

    private static boolean leadsToErrorOfTheJvm(@Nullable Throwable cause) {
        int depth = 0;
        for (Throwable each = cause; each != null && depth < MOST_CAUSES; each = each.getCause()) {
            if (each instanceof VirtualMachineError) {
                return true;
            }
            depth++;
        }
        return false;
    }

    /**
     * Returns the kind of failure.
     *
     * @return the category
     */
    public Category category() {
        return category;
    }
}
