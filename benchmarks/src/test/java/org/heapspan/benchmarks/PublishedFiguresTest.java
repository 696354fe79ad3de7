package org.heapspan.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.benchmarks.Publication.Rendered;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages show what the published files of figures say: tables and plots are made of these again, and compared. */
final class PublishedFiguresTest {
    private static final Path ROOT = Repository.root();

    @TempDir
    Path folder;

    static Stream<Publication> sections() {
        return Publications.all().stream();
    }

    @ParameterizedTest
    @MethodSource("sections")
    void theSectionShowsWhatTheFileSays(Publication section) throws IOException {
        Path figures = section.publishedFigures(ROOT);
        assertThat(figures).exists();
        Rendered rendered = section.renderer().render(figures, folder);
        assertThat(section.publishedTables(ROOT))
                .as(
                        "%s of %s; ./dev bench %s --render --publish writes it",
                        section.name(), section.page(), section.command())
                .isEqualTo(rendered.tables());
        for (Path plot : rendered.plots()) {
            assertThat(Publication.publishedPlots(ROOT).resolve(plot.getFileName()))
                    .hasSameTextualContentAs(plot);
        }
    }

    @Test
    void eachFileOfFiguresBelongsToASection() throws IOException {
        List<Path> known =
                sections().map(section -> section.publishedFigures(ROOT)).toList();
        try (Stream<Path> files = Files.list(ROOT.resolve("docs/figures"))) {
            assertThat(files).isSubsetOf(known);
        }
    }
}
