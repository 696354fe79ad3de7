package org.heapspan;

import org.heapspan.image.format.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * A copy of an object graph could not be made or read. The message says what failed, where, what was found, what was expected and what to do.
 * {@link #category()} lets a program decide without reading the message. The message is one printable line, whatever names the bytes hold: characters
 * that could disturb a log or a terminal are escaped.
 *
 * <p>No {@link VirtualMachineError} is among its causes. Programs that find one there take the process for broken and end it, although only the copy has
 * failed. If one has led to the failure, it is {@linkplain #getSuppressed suppressed}.
 */
public class HeapspanException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A chain of causes may be a ring. */
    private static final int MOST_CAUSES = 100;

    /** The kinds of failure a caller may want to treat differently. */
    public enum Category {
        /** The bytes are not an image: truncated, altered or never one. */
        MALFORMED,
        /** The image was written in a format version this release does not read. */
        VERSION,
        /** The image uses an encoding or heap layout this call does not accept. */
        LAYOUT,
        /**
         * The class holds something that has no meaning in another JVM (a thread, a socket, a native address), or would not be found by its name
         * ({@link HeapspanBuilder#findableOnly}).
         */
        CLASS_REFUSED,
        /** The reader has no class of the name that the image mentions. */
        CLASS_NOT_FOUND,
        /** A filter or the allow-list does not admit the class. */
        CLASS_REJECTED,
        /** A limit on bytes, objects or array length was reached before anything of that size was allocated. */
        LIMIT,
        /** The reader's class differs from the writer's in a way that no value can bridge. */
        EVOLUTION,
        /** A method of the user's class ({@code writeObject}, {@code readResolve}, ...) failed. */
        HOOK,
        /** Reading or writing the underlying stream, channel or memory failed. */
        IO,
        /** The call is not possible in the state or with the arguments given. */
        USAGE,
        /** The JVM offers no means for what this class needs; see {@code heapspan doctor}. */
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
     * @param cause what led to it; among what is suppressed if it is or has an error of the JVM
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
