package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A page of the documentation that holds figures, between two lines that say so.
 *
 * @param page its file in {@code docs}
 * @param name of the figures, as in these lines
 * @param command that writes them, behind {@code ./dev bench}
 */
record Publication(String page, String name, String command) {
    /**
     * Replaces the figures of the page and the plots in {@code docs/plots}.
     *
     * @param docs the documentation
     * @param figures as Markdown
     * @throws IOException if the page lacks the two lines, or cannot be written
     */
    void publish(Path docs, String figures, List<Path> plots) throws IOException {
        String begin = "<!-- " + name + " figures: begin, written by ./dev bench " + command + " --publish -->";
        String end = "<!-- " + name + " figures: end -->";
        Path file = docs.resolve(page);
        String old = Files.readString(file);
        int first = old.indexOf(begin);
        int last = old.indexOf(end);
        if (first < 0 || last < first) {
            throw new IOException(file + " lacks the lines '" + begin + "' and '" + end + "' around the figures");
        }
        Files.writeString(file, old.substring(0, first) + begin + "\n" + figures + old.substring(last));
        for (Path plot : plots) {
            Files.copy(
                    plot,
                    Files.createDirectories(docs.resolve("plots")).resolve(plot.getFileName()),
                    StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
