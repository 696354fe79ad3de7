package org.heapspan.cli;

import java.util.List;
import java.util.stream.Collectors;

/** Words of a command line as a POSIX shell reads them. */
final class ShellWords {
    private ShellWords() {}

    /** One line; {@code eval} makes the words of it again, whatever is in them. */
    static String line(List<String> words) {
        return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
