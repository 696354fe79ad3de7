package org.heapspan.benchmarks.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publications;
import org.heapspan.benchmarks.Repository;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same as {@code PublishedFiguresTest} of the benchmarks without Spark; and no file of figures is left over. */
@Tag("once")
final class PublishedSparkFiguresTest {
    private static final Path ROOT = Repository.root();

    @TempDir
    Path folder;

    static Stream<Publication> sections() {
        return SparkPublications.all().stream();
    }

    @ParameterizedTest
    @MethodSource("sections")
    void theSectionShowsWhatTheFileSays(Publication section) throws IOException {
        assertThat(section.outdated(ROOT, folder))
                .as("outdated; ./dev bench %s --render --publish writes it", section.command())
                .isEmpty();
    }

    @Test
    void eachFileOfFiguresBelongsToASection() throws IOException {
        List<Path> known = Stream.concat(Publications.all().stream(), sections())
                .map(section -> section.publishedFigures(ROOT))
                .toList();
        try (Stream<Path> files = Files.list(ROOT.resolve("docs/figures"))) {
            assertThat(files).isSubsetOf(known);
        }
    }
}
