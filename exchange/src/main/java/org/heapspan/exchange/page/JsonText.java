package org.heapspan.exchange.page;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Writes maps, lists, texts and numbers as JSON. All other characters than those of ASCII are escaped. */
final class JsonText {
    private static final int FIRST_PRINTABLE = 0x20;
    private static final int LAST_PRINTABLE = 0x7E;

    private final StringBuilder text = new StringBuilder();

    private JsonText() {}

    static String of(Object value) {
        JsonText json = new JsonText();
        json.write(value);
        return json.text.toString();
    }

    private void write(Object value) {
        if (value instanceof Map<?, ?> map) {
            text.append('{');
            for (Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator(); entries.hasNext(); ) {
                Map.Entry<?, ?> entry = entries.next();
                quote(String.valueOf(entry.getKey()));
                text.append(':');
                write(entry.getValue());
                text.append(entries.hasNext() ? "," : "");
            }
            text.append('}');
        } else if (value instanceof List<?> list) {
            text.append('[');
            for (int i = 0; i < list.size(); i++) {
                text.append(i == 0 ? "" : ",");
                write(list.get(i));
            }
            text.append(']');
        } else if (value instanceof Number) {
            text.append(value);
        } else {
            quote(value.toString());
        }
    }

    private void quote(String string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c < FIRST_PRINTABLE || c > LAST_PRINTABLE || c == '"' || c == '\\') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
