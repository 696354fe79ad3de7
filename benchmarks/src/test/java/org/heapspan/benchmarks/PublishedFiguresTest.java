package org.heapspan.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.benchmarks.Publication.Rendered;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages show what the published files of figures say: tables and plots are made of these again, and compared. */
@Tag("once")
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
        assertThat(section.outdated(ROOT, folder))
                .as("outdated; ./dev bench %s --render --publish writes it", section.command())
                .isEmpty();
    }

    @Test
    void otherTablesAndPlotsAreNoticed() throws IOException {
        Publication section = CodecReport.PUBLICATIONS.get(0);
        Path plot = Files.writeString(folder.resolve("no-such-plot.svg"), "");
        Publication other = new Publication(
                section.page(),
                section.name(),
                section.figuresName(),
                section.command(),
                (figures, plots) -> new Rendered("other tables", List.of(plot)));
        assertThat(other.outdated(ROOT, folder))
                .containsExactly(
                        "tables of the section " + section.name() + " in " + section.page(),
                        "docs/plots/no-such-plot.svg");
    }
}
