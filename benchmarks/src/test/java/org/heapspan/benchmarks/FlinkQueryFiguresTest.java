package org.heapspan.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Figures of queries on Flink that several runs have measured. */
@Tag("once")
final class FlinkQueryFiguresTest {
    private static final List<String> ORDER = List.of("QA", "QB");

    @TempDir
    Path folder;

    private static RunNote note(String command) {
        RunNote note = new RunNote();
        note.command = command;
        return note;
    }

    private static void add(FlinkQueryFigures figures, String query, String serializer, double seconds) {
        FlinkQueryFigures.Figure figure = figures.figure(query, "", serializer);
        figure.exchangedMegabytes = 1;
        figure.seconds.add(seconds);
    }

    /** Figures of QB, saved and read again. */
    private FlinkQueryFigures formerFigures() throws IOException {
        FlinkQueryFigures figures = new FlinkQueryFigures();
        figures.begin(note("first"), "0.5");
        add(figures, "QB", "POJO", 4);
        add(figures, "QB", "other", 2);
        figures.end(ORDER);
        Path json = folder.resolve("figures.json");
        FigureFile.write(json, figures);
        return FlinkQueryFigures.load(json);
    }

    @Test
    void aSecondRunAddsQueriesInTheirOrder() throws IOException {
        FlinkQueryFigures figures = formerFigures();
        figures.begin(note("second"), "0.5");
        assertThat(figures.has("QB", "other")).isTrue();
        assertThat(figures.has("QA", "POJO")).isFalse();
        add(figures, "QA", "POJO", 10);
        add(figures, "QA", "other", 11);
        figures.end(ORDER);

        assertThat(figures.all).extracting(figure -> figure.run).containsExactly(1, 1, 0, 0);
        assertThat(figures.table().lines())
                .containsSequence(
                        "| QA | POJO | 1.0 | 10.00 |  |",
                        "| QA | other | 1.0 | 11.00 | +10 % |",
                        "| QB | POJO | 1.0 | 4.00 |  |",
                        "| QB | other | 1.0 | 2.00 | -50 % |")
                .contains("  * `first`", "  * `second`");
    }

    @Test
    void aRunWithoutFiguresIsForgotten() throws IOException {
        FlinkQueryFigures figures = formerFigures();
        figures.begin(note("of no use"), "0.5");
        figures.end(ORDER);
        figures.begin(note("third"), "0.5");
        add(figures, "QA", "POJO", 10);
        figures.end(ORDER);

        assertThat(figures.runs).extracting(run -> run.command).containsExactly("first", "third");
        assertThat(figures.all).extracting(figure -> figure.run).containsExactly(1, 0, 0);
    }

    @Test
    void aSecondRunOfOtherDataIsRefused() throws IOException {
        FlinkQueryFigures figures = formerFigures();
        assertThatThrownBy(() -> figures.begin(note("second"), "10"))
                .isInstanceOf(IOException.class)
                .hasMessage("the figures that there are have scale 0.5, these would have scale 10; measure them with"
                        + " --scale=0.5, or without --add");
    }

    @Test
    void aSecondRunWithOtherSoftwareIsRefused() throws IOException {
        FlinkQueryFigures figures = formerFigures();
        RunNote note = note("second");
        note.software = List.of("JDK 17");
        assertThatThrownBy(() -> figures.begin(note, "0.5"))
                .isInstanceOf(IOException.class)
                .hasMessage("the figures that there are were measured with [], these would be with [JDK 17]; measure"
                        + " them the same way, or without --add");
    }

    @Test
    void thereAreNoFiguresWithoutAFile() throws IOException {
        assertThat(FlinkQueryFigures.load(folder.resolve("none.json")).all).isEmpty();
    }
}
