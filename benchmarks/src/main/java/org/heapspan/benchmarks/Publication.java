package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A section of a page of the documentation that is made of a file of figures and of nothing else: tables between two comments of the page, and
 * plots in {@code docs/plots}. The figures are in {@code docs/figures}, so that a later run can add to them or replace some, and so that a test
 * can compare the page with them.
 *
 * @param page its file, from the root of the repository
 * @param name of the section, as in the comments
 * @param figuresName the name of the file of figures, without {@code .json}
 * @param command that writes the section, behind {@code ./dev bench}
 * @param renderer makes tables and plots of figures
 */
public record Publication(String page, String name, String figuresName, String command, Renderer renderer) {
    /** Makes tables and plots of a file of figures. */
    @FunctionalInterface
    public interface Renderer {
        /**
         * Writes plots into the folder.
         *
         * @throws IOException if the figures cannot be read, or the plots not be written
         */
        Rendered render(Path figures, Path folder) throws IOException;
    }

    /**
     * What a page shows.
     *
     * @param tables as Markdown
     * @param plots their files
     */
    public record Rendered(String tables, List<Path> plots) {}

    /** A section whose figures have its name. */
    public Publication(String page, String name, String command, Renderer renderer) {
        this(page, name, name, command, renderer);
    }

    /** Where a run in this repository saves its figures. */
    public Path figures(Path root) {
        return root.resolve("build/bench").resolve(figuresName + ".json");
    }

    /** Where the figures are that the page shows. */
    public Path publishedFigures(Path root) {
        return root.resolve("docs/figures").resolve(figuresName + ".json");
    }

    /** Where the plots are that the page shows. */
    public static Path publishedPlots(Path root) {
        return root.resolve("docs/plots");
    }

    /** The figures to go on with: those of the latest run here if there is one, else those that were published. */
    public Path formerFigures(Path root) {
        Path latest = figures(root);
        return Files.exists(latest) ? latest : publishedFigures(root);
    }

    /**
     * Writes {@code NAME.md} and plots to {@code build/bench} and returns them.
     *
     * @throws IOException if there are no figures
     */
    public Rendered render(Path root) throws IOException {
        Path folder = Files.createDirectories(root.resolve("build/bench"));
        Rendered rendered = renderer.render(formerFigures(root), folder);
        Files.writeString(folder.resolve(name + ".md"), rendered.tables);
        return rendered;
    }

    /**
     * What stands between the two comments of the page.
     *
     * @throws IOException if the page lacks them
     */
    public String publishedTables(Path root) throws IOException {
        String text = Files.readString(root.resolve(page));
        return text.substring(from(text), to(text));
    }

    /**
     * What of the page and its plots is not as the published figures say; empty if all is.
     *
     * @param folder for the plots that are made to compare
     * @throws IOException if there are no figures, or the page lacks the two comments
     */
    public List<String> outdated(Path root, Path folder) throws IOException {
        Rendered rendered = renderer.render(publishedFigures(root), folder);
        List<String> outdated = new ArrayList<>();
        if (!publishedTables(root).equals(rendered.tables)) {
            outdated.add("tables of the section " + name + " in " + page);
        }
        for (Path plot : rendered.plots) {
            Path published = publishedPlots(root).resolve(plot.getFileName());
            if (!Files.exists(published) || !Files.readString(published).equals(Files.readString(plot))) {
                outdated.add("docs/plots/" + plot.getFileName());
            }
        }
        return outdated;
    }

    /**
     * Replaces the tables of the page, the plots and the published figures by what {@link #render} makes.
     *
     * @throws IOException if the page lacks the two comments, or cannot be written
     */
    public void publish(Path root) throws IOException {
        Rendered rendered = render(root);
        Path file = root.resolve(page);
        String old = Files.readString(file);
        Files.writeString(file, old.substring(0, from(old)) + rendered.tables + old.substring(to(old)));
        for (Path plot : rendered.plots) {
            copy(plot, publishedPlots(root).resolve(plot.getFileName()));
        }
        Path former = formerFigures(root);
        if (!former.equals(publishedFigures(root))) {
            copy(former, publishedFigures(root));
        }
    }

    private int from(String text) throws IOException {
        String begin = "<!-- " + name + " figures: begin, written by ./dev bench " + command + " --publish -->\n";
        return found(text, begin) + begin.length();
    }

    private int to(String text) throws IOException {
        return found(text, "<!-- " + name + " figures: end -->");
    }

    private int found(String text, String comment) throws IOException {
        int at = text.indexOf(comment);
        if (at < 0) {
            throw new IOException(page + " lacks the line '" + comment.strip() + "' before or behind its tables");
        }
        return at;
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
}
