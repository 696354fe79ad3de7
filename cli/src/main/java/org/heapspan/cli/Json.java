package org.heapspan.cli;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, collections, texts, numbers and truth values as JSON. */
final class Json {
    private Json() {}

    static void write(PrintWriter out, @Nullable Object value, int indent) {
        if (value instanceof Map<?, ?> map) {
            if (map.isEmpty()) {
                out.print("{}");
                return;
            }
            out.print('{');
            String separator = "";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.print(separator);
                newLine(out, indent + 1);
                text(out, String.valueOf(entry.getKey()));
                out.print(": ");
                write(out, entry.getValue(), indent + 1);
                separator = ",";
            }
            newLine(out, indent);
            out.print('}');
        } else if (value instanceof Collection<?> collection) {
            if (collection.isEmpty()) {
                out.print("[]");
                return;
            }
            out.print('[');
            String separator = "";
            for (Object element : collection) {
                out.print(separator);
                newLine(out, indent + 1);
                write(out, element, indent + 1);
                separator = ",";
            }
            newLine(out, indent);
            out.print(']');
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.print(value);
        } else {
            text(out, value.toString());
        }
    }

    private static void newLine(PrintWriter out, int indent) {
        out.print('\n');
        out.print("  ".repeat(indent));
    }

    private static void text(PrintWriter out, String text) {
        out.print('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.print('\\');
                out.print(c);
            } else if (c < 0x20 || c > 0x7E) {
                out.printf("\\u%04x", (int) c);
            } else {
                out.print(c);
            }
        }
        out.print('"');
    }
}
