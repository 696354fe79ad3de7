package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A page of the documentation that holds tables, between two lines that say so, its plots in {@code docs/plots} and the figures that both were
 * made of in {@code docs/figures}, so that a later run can add to them or replace some.
 *
 * @param page its file in {@code docs}
 * @param name of the figures, as in these lines
 * @param command that writes them, behind {@code ./dev bench}
 */
public record Publication(String page, String name, String command) {
    /** Where a run in this repository saves its figures. */
    public Path figures(Path root) {
        return root.resolve("build/bench").resolve(name + ".json");
    }

    /** The figures to go on with: those of the latest run here if there is one, else those that were published. */
    public Path formerFigures(Path root) {
        Path latest = figures(root);
        return Files.exists(latest) ? latest : publishedFigures(root);
    }

    private Path publishedFigures(Path root) {
        return root.resolve("docs/figures").resolve(name + ".json");
    }

    /**
     * Replaces the tables of the page, the plots and the published figures.
     *
     * @param root of the repository
     * @param tables as Markdown
     * @throws IOException if the page lacks the two lines, or cannot be written
     */
    public void publish(Path root, String tables, List<Path> plots) throws IOException {
        String begin = "<!-- " + name + " figures: begin, written by ./dev bench " + command + " --publish -->";
        String end = "<!-- " + name + " figures: end -->";
        Path file = root.resolve("docs").resolve(page);
        String old = Files.readString(file);
        int first = old.indexOf(begin);
        int last = old.indexOf(end);
        if (first < 0 || last < first) {
            throw new IOException(file + " lacks the lines '" + begin + "' and '" + end + "' around the tables");
        }
        Files.writeString(file, old.substring(0, first) + begin + "\n" + tables + old.substring(last));
        for (Path plot : plots) {
            copy(plot, root.resolve("docs/plots").resolve(plot.getFileName()));
        }
        Path former = formerFigures(root);
        if (!former.equals(publishedFigures(root))) {
            copy(former, publishedFigures(root));
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
}
