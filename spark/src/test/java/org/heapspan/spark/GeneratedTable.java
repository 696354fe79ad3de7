package org.heapspan.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A table of a page that is made from a class. */
public final class GeneratedTable {
    private static final String END = "<!-- end -->";

    private GeneratedTable() {}

    /**
     * Compares the page with what the class makes. With {@code -Dheapspan.write=true} writes it there instead.
     *
     * @param page in {@code docs}
     * @param maker what the comment before the table names
     */
    public static void check(String page, String maker, String table) throws IOException {
        Path file = Path.of(System.getProperty("heapspan.root", ".."), "docs", page);
        String begin = "<!-- made from " + maker + " -->\n";
        String text = Files.readString(file);
        int from = text.indexOf(begin) + begin.length();
        int to = text.indexOf(END, from);
        assertThat(from).as(begin).isGreaterThanOrEqualTo(begin.length());
        assertThat(to).as(END).isPositive();
        if (Boolean.getBoolean("heapspan.write")) {
            Files.writeString(file, text.substring(0, from) + table + text.substring(to));
            return;
        }
        assertThat(text.substring(from, to))
                .as("table of docs/%s; -DargLine=-Dheapspan.write=true writes it", page)
                .isEqualTo(table);
    }
}
