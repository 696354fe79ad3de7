package org.heapspan.spark.tab;

import java.util.ArrayDeque;
import java.util.Deque;
import org.heapspan.image.format.PrintableText;

/**
 * Builds HTML. Whatever is not a name of an element or attribute is escaped, in text and in attributes, wherever it came from: names of classes and
 * hosts and messages of exceptions are other people's. Not thread-safe.
 */
final class Html {
    private final StringBuilder text = new StringBuilder(8 << 10);
    private final Deque<String> open = new ArrayDeque<>();

    /**
     * Begins an element.
     *
     * @param attributes name, value, name, value, ...
     */
    Html open(String name, String... attributes) {
        tag(name, attributes);
        open.push(name);
        return this;
    }

    /** Adds an element that never has content, such as {@code br}. */
    Html empty(String name, String... attributes) {
        tag(name, attributes);
        return this;
    }

    /** Adds an element with text in it. */
    Html element(String name, String content, String... attributes) {
        return open(name, attributes).text(content).close();
    }

    private void tag(String name, String... attributes) {
        if (attributes.length % 2 != 0) {
            throw new IllegalArgumentException("attributes of " + name + " are not in pairs");
        }
        text.append('<').append(name);
        for (int i = 0; i < attributes.length; i += 2) {
            text.append(' ').append(attributes[i]).append("=\"");
            escape(attributes[i + 1]);
            text.append('"');
        }
        text.append('>');
    }

    Html text(String content) {
        escape(content);
        return this;
    }

    /** Ends the element that was begun last. */
    Html close() {
        text.append("</").append(open.pop()).append('>');
        return this;
    }

    private void escape(String content) {
        for (int i = 0; i < content.length(); i++) {
            char c = content.charAt(i);
            switch (c) {
                case '<' -> text.append("&lt;");
                case '>' -> text.append("&gt;");
                case '&' -> text.append("&amp;");
                case '"' -> text.append("&quot;");
                case '\'' -> text.append("&#39;");
                // Line ends are white space here; pairs of halves are one character.
                case '\n', '\t' -> text.append(c);
                default -> {
                    boolean plain = PrintableText.isPrintable(c) || Character.isSurrogate(c);
                    text.append(plain ? c : '\uFFFD');
                }
            }
        }
    }

    /** All of it; every element must have been ended. */
    @Override
    public String toString() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("not ended: " + open);
        }
        return text.toString();
    }
}
