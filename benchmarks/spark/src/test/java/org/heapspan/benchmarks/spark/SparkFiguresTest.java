package org.heapspan.benchmarks.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.heapspan.benchmarks.RunNote;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which applications and notes of runs remain when others are added. */
@Tag("once")
final class SparkFiguresTest {
    private final SparkFigures figures = new SparkFigures();

    @TempDir
    Path folder;

    @Test
    void anApplicationIsOfTheLatestRun() throws IOException {
        figures.begin(run("first"));
        figures.add(application("sort", 1));
        figures.begin(run("second"));
        figures.add(application("ranks", 1));
        Path json = folder.resolve("figures.json");
        figures.save(json);
        SparkFigures loaded = SparkFigures.load(json);
        assertThat(commands(loaded)).containsExactly("first", "second");
        assertThat(loaded.timed("25", "ranks", SparkPeer.KRYO).get(0).run).isEqualTo(1);
    }

    @Test
    void aRunOfWhichNothingIsLeftGoes() throws IOException {
        figures.begin(run("first"));
        figures.add(application("sort", 1));
        figures.begin(run("second"));
        figures.add(application("ranks", 1));
        figures.begin(run("third"));
        figures.add(application("sort", 2));
        assertThat(commands(figures)).containsExactly("second", "third");
        assertThat(figures.timed("25", "ranks", SparkPeer.KRYO).get(0).run).isZero();
        assertThat(figures.timed("25", "sort", SparkPeer.KRYO)).singleElement().satisfies(left -> {
            assertThat(left.scale).isEqualTo(2);
            assertThat(left.run).isEqualTo(1);
        });
    }

    @Test
    void applicationsWithinLessMemoryStandApart() throws IOException {
        figures.begin(run("first"));
        figures.add(application("sort", 1));
        Application limited = application("sort", 2);
        limited.memoryMegabytes = 1000;
        figures.add(limited);
        assertThat(figures.memoryLimits()).containsExactly(0, 1000);
        assertThat(figures.within(1000).timed("25", "sort", SparkPeer.KRYO)).containsExactly(limited);
        assertThat(figures.within(0).timed("25", "sort", SparkPeer.KRYO)).hasSize(1);
    }

    @Test
    void figuresOfAnotherMachineAreRefused() throws IOException {
        figures.begin(run("first"));
        RunNote elsewhere = run("second");
        elsewhere.machine = "another";
        assertThatThrownBy(() -> figures.begin(elsewhere))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another kind of machine");
    }

    @Test
    void figuresOfAnotherMethodAreRefused() throws IOException {
        RunNote old = run("first");
        old.method = "An older method.";
        figures.begin(old);
        assertThat(RunNote.methods(figures.runs())).isEqualTo("An older method.\n\n");
        assertThatThrownBy(() -> figures.begin(run("second")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("An older method.");
    }

    private static List<String> commands(SparkFigures figures) {
        return figures.runs().stream().map(run -> run.command).toList();
    }

    private static RunNote run(String command) {
        RunNote run = new RunNote();
        run.command = command;
        run.machine = "this";
        return run;
    }

    private static Application application(String workload, double scale) {
        Application application = new Application();
        application.jdk = "25";
        application.workload = workload;
        application.peer = SparkPeer.KRYO.optionName();
        application.scale = scale;
        return application;
    }
}
