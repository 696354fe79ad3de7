package org.heapspan.tests.direct;

import java.util.List;

/** Arguments of the form {@code key=value}, and single words. */
final class Arguments {
    private final List<String> arguments;

    Arguments(String[] arguments) {
        this.arguments = List.of(arguments);
    }

    boolean has(String word) {
        return arguments.contains(word);
    }

    long number(String key, long otherwise) {
        String text = text(key);
        return text.isEmpty() ? otherwise : Long.parseLong(text);
    }

    /** The value of a key, or nothing. */
    String text(String key) {
        for (String each : arguments) {
            if (each.startsWith(key + "=")) {
                return each.substring(key.length() + 1);
            }
        }
        return "";
    }
}
