package org.heapspan.image.format;

import org.jspecify.annotations.Nullable;

/**
 * Texts that others chose, in a form that does no harm to a terminal or a log: names of classes, fields, constants and files, and
 * values. An image may name a class so that its name moves the cursor, reverses the direction of writing, or begins a line that
 * looks like another message. Internal.
 */
public final class PrintableText {
    private PrintableText() {}

    /**
     * Replaces what is not printable by escapes as in Java's source code: control characters, line ends, marks of direction, halves of
     * pairs.
     *
     * @param text any text
     * @return the same text if all of it is printable
     */
    public static String of(String text) {
        StringBuilder printable = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isPrintable(c)) {
                if (printable != null) {
                    printable.append(c);
                }
            } else {
                if (printable == null) {
                    printable = new StringBuilder(text.length() + 16).append(text, 0, i);
                }
                switch (c) {
                    case '\n' -> printable.append("\\n");
                    case '\r' -> printable.append("\\r");
                    case '\t' -> printable.append("\\t");
                    default -> printable.append(String.format("\\u%04x", (int) c));
                }
            }
        }
        return printable == null ? text : printable.toString();
    }

    /**
     * An exception as the cause of another, unless its message is not printable: whoever prints the other one prints its causes too.
     *
     * @param cause what the JDK threw because of a text out of an image
     */
    public static @Nullable Throwable causeOrNull(Throwable cause) {
        String message = cause.getMessage();
        return message == null || of(message).equals(message) ? cause : null;
    }

    /**
     * Whether a character may stand for itself.
     *
     * @param c a character
     */
    public static boolean isPrintable(char c) {
        if (c < 0x7F) {
            return c >= ' ';
        }
        int type = Character.getType(c);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.SURROGATE
                && type != Character.PRIVATE_USE
                && type != Character.UNASSIGNED
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR;
    }
}
