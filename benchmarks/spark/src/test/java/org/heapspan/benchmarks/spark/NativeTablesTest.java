package org.heapspan.benchmarks.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.heapspan.benchmarks.RunNote;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What tables say of runs in which an executor has trouble, and of Thrill. */
@Tag("once")
final class NativeTablesTest {
    private final SparkFigures figures = new SparkFigures();

    @BeforeEach
    void begin() throws IOException {
        RunNote run = new RunNote();
        run.command = "./dev bench native";
        run.machine = "this";
        figures.begin(run);
    }

    @Test
    void theLastRunIsComparedWithTheOneBefore() {
        figures.add(application(NativePeer.NATIVE_KILLED, List.of(3.0, 1.0, 2.5), List.of(3.0, 1.0, 2.0)));
        figures.add(application(NativePeer.RDD_KRYO_KILLED, List.of(9.0, 4.0, 8.0), List.of(9.0, 4.0, 6.0)));
        assertThat(NativeTables.of(figures))
                .contains("elapsed time of a run in which an executor is killed")
                .contains("| words | 1.0 | 2.5 | 1.5 | 4.0 | 8.0 | 4.0 |\n")
                .doesNotContain("executor is slow");
    }

    @Test
    void aPeerThatWasNotMeasuredIsLeftOut() {
        figures.add(application(NativePeer.NATIVE_SLOWED, List.of(3.0, 1.0, 2.5), List.of(3.0, 1.0, 2.0)));
        assertThat(NativeTables.of(figures)).contains("| words | 1.0 | 2.5 | 1.5 | - | - | - |\n");
    }

    @Test
    void thrillStandsBesideRunsWithMoreAndMoreOfWhatSparkTakes() {
        figures.add(application(NativePeer.THRILL, List.of(9.0, 0.5, 0.7), List.of(9.0, 1.1, 1.3)));
        Application ours = application(NativePeer.NATIVE, List.of(3.0, 1.0, 2.0), List.of(4.0, 1.0, 3.0));
        ours.wholeCpuSeconds = 20;
        figures.add(ours);
        assertThat(NativeTables.of(figures)).contains("| words | 1.2 | 2.0 | 4.0 | 16.0 | 0.6 | 1.5 | 3.0 |\n");
    }

    @Test
    void olderFiguresDoNotSayWhatAWholeApplicationTook() {
        figures.add(application(NativePeer.THRILL, List.of(9.0, 0.5, 0.7), List.of(9.0, 1.1, 1.3)));
        figures.add(application(NativePeer.NATIVE, List.of(3.0, 1.0, 2.0), List.of(4.0, 1.0, 3.0)));
        assertThat(NativeTables.of(figures)).contains("| words | 1.2 | 2.0 | 4.0 | - | 0.6 | 1.5 | 3.0 |\n");
    }

    @Test
    void plainProgramsStandBesideTasksAndExecutors() {
        figures.add(application(NativePeer.PLAIN, List.of(9.0, 0.5, 0.7), List.of(9.0, 0.4, 0.6)));
        // Applications of older figures do not say what tasks took.
        figures.add(application(NativePeer.NATIVE, List.of(3.0, 1.2, 1.2), List.of(4.0, 1.0, 1.0)));
        assertThat(NativeTables.of(figures))
                .contains("| words | 0.50 | - | - | 1.00 | 2.00x | 0.60 | 1.20 | 2.00x |\n")
                .contains("| geometric mean | | | - | | 2.00x | | | 2.00x |\n");
        Application latest = application(NativePeer.NATIVE, List.of(3.0, 1.2, 1.2), List.of(4.0, 1.0, 1.0));
        latest.taskCpuSecondsOfRuns = List.of(3.0, 0.7, 0.8);
        figures.add(latest);
        assertThat(NativeTables.of(figures))
                .contains("| words | 0.50 | 0.75 | 1.50x | 1.00 | 2.00x | 0.60 | 1.20 | 2.00x |\n");
    }

    @Test
    void slowCompilationsAreBold() {
        NativeCompileFigures compilations = new NativeCompileFigures();
        List.of(1.9, 2.3, 2.0).forEach(seconds -> compilations.add("quick", seconds));
        List.of(2.9, 2.3, 2.1).forEach(seconds -> compilations.add("slow", seconds));
        compilations.firstSeconds = 7;
        assertThat(compilations.tables())
                .contains("| `quick.cpp` | 2.0 | 1.9 | 2.3 |\n")
                .contains("| `slow.cpp` | **2.3** | 2.1 | 2.9 |\n")
                .contains("1 of 2 programs compile in at most 2 s.")
                .contains("took 7.0 s");
    }

    @Test
    void eachAmountOfDataHasARow() {
        for (int factor : List.of(1, 4)) {
            for (NativePeer peer : List.of(NativePeer.NATIVE, NativePeer.RDD_KRYO)) {
                double cpuSeconds = peer == NativePeer.NATIVE ? factor : 3.0 * factor * factor;
                Application application = application(peer, List.of(9.0, 1.0), List.of(9.0, cpuSeconds));
                application.workload += "-times-" + factor;
                application.title = "Words (data × " + factor + ")";
                figures.add(application);
            }
        }
        assertThat(NativeTables.ofSizes(figures))
                .contains("| Words (data × 1) | 1.0 | 3.00x |\n")
                .contains("| Words (data × 4) | 4.0 | 12.00x |\n");
    }

    private static Application application(NativePeer peer, List<Double> wallSeconds, List<Double> cpuSeconds) {
        Application application = new Application();
        application.jdk = "25";
        application.workload = "words";
        application.peer = peer.optionName();
        application.times = wallSeconds.size();
        application.wallSeconds = wallSeconds;
        application.cpuSeconds = cpuSeconds;
        return application;
    }
}
