package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/** The options that all reports with published figures have: {@code --render} measures nothing, and {@code --publish} writes the page. */
public final class PublishOptions {
    private boolean render;
    private boolean publish;

    /** Uses an option; false if it is none of these. */
    public boolean takes(String name) {
        switch (name) {
            case "--render" -> render = true;
            case "--publish" -> publish = true;
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Whether to show former figures, and to measure nothing. */
    public boolean isRender() {
        return render;
    }

    /**
     * Measures and saves the figures, unless former ones are to be shown, and shows them.
     *
     * @param measurement returns the content of the file of figures
     * @throws IOException if there are no figures, or they or the page cannot be written
     */
    public void run(Publication publication, Callable<?> measurement) throws Exception {
        Path root = Repository.root();
        if (!render) {
            FigureFile.write(publication.figures(root), measurement.call());
        }
        show(publication, root);
    }

    /**
     * Prints the tables of the figures, and writes them to the page if that is asked for.
     *
     * @throws IOException if there are no figures, or the page cannot be written
     */
    public void show(Publication publication, Path root) throws IOException {
        show(publication, root, true);
    }

    /**
     * Prints the tables of the figures. If the run went well, writes them to the page if that is asked for. If not, ends this process.
     *
     * @param allWell whether each job ended, and all results are the same
     * @throws IOException if there are no figures, or the page cannot be written
     */
    public void show(Publication publication, Path root, boolean allWell) throws IOException {
        System.out.printf("%n%s%n", publication.render(root).tables());
        if (!allWell) {
            System.out.println("A job failed, or its results differ.");
            System.exit(1);
        }
        if (publish) {
            publication.publish(root);
        }
    }
}
