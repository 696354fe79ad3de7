package org.heapspan.spark.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.heapspan.spark.report.SerializationReport.Engine;
import org.heapspan.spark.report.SerializationReport.Failures;
import org.heapspan.spark.report.SerializationReport.OfClass;
import org.heapspan.spark.report.SerializationReport.OfStage;
import org.heapspan.spark.report.SerializationTotals.Executor;
import org.heapspan.spark.report.SerializationTotals.Snapshot;
import org.heapspan.spark.statistics.EncodedClasses;
import org.heapspan.spark.statistics.Progress;
import org.heapspan.spark.statistics.SerializationCounters;
import org.heapspan.spark.statistics.SerializationFailures;
import org.heapspan.spark.statistics.SerializationFailures.Example;
import org.heapspan.spark.statistics.SerializationFailures.Kind;
import org.heapspan.spark.statistics.Work;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SerializationTotalsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final Progress SOME = new Progress(new Work(2, 30, 400), new Work(1, 10, 100));
    private static final Progress TWICE = SOME.plus(SOME);

    private final SerializationTotals totals = new SerializationTotals(NOW);

    private static SerializationReport report(String executor, int... stages) {
        List<OfStage> ofStages = java.util.Arrays.stream(stages)
                .mapToObj(stage -> new OfStage(stage, SOME))
                .toList();
        return new SerializationReport(executor, 2000, ofStages, List.of(), List.of(), null, null);
    }

    private static ExecutorReport hello(String executor) {
        return new ExecutorReport(executor, "host", "1", "a.Serializer", List.of());
    }

    @Test
    void reportsAddUp() {
        totals.add(hello("1"));
        totals.add(report("1", 5, 6), NOW);
        totals.add(report("10", 6), NOW);
        totals.add(report("2", -1), NOW);
        totals.add(report("driver", -1), NOW);
        Snapshot snapshot = totals.snapshot(NOW + 4000);
        assertThat(snapshot.total()).isEqualTo(TWICE.plus(TWICE).plus(SOME));
        assertThat(snapshot.stages())
                .containsExactly(new OfStage(6, TWICE), new OfStage(5, SOME), new OfStage(-1, TWICE));
        assertThat(snapshot.executors())
                .containsExactly(
                        new Executor("driver", null, SOME, null, null, null),
                        new Executor("1", hello("1"), TWICE, null, null, null),
                        new Executor("2", null, SOME, null, null, null),
                        new Executor("10", null, SOME, null, null, null));
        assertThat(snapshot.rates().stream()
                        .mapToDouble(RateHistory.Point::encodedBytesPerSecond)
                        .sum())
                .isEqualTo(150 / 2.0);
        assertThat(totals.knows("1")).isTrue();
        assertThat(totals.knows("2")).isFalse();
    }

    @Test
    void whatIsToldLaterIsKeptTogether() {
        Engine engine = new Engine(3, 1, List.of("NOT_CLOSED: 1"));
        totals.add(new SerializationReport("1", 2000, List.of(), List.of(), List.of(), engine, null), NOW);
        totals.add(hello("1"));
        assertThat(totals.snapshot(NOW).executors())
                .containsExactly(new Executor("1", hello("1"), Progress.NONE, engine, null, null));
    }

    @Test
    void executorsThatAreGoneStayWithTheReason() {
        totals.add(hello("1"));
        totals.end("1", "exit code 134");
        totals.add(report("1", 5), NOW);
        totals.end("2", "lost");
        assertThat(totals.snapshot(NOW).executors())
                .containsExactly(
                        new Executor("1", hello("1"), SOME, null, null, "exit code 134"),
                        new Executor("2", null, Progress.NONE, null, null, "lost"));
    }

    @Test
    void classesAndFailuresAreInTheOrderOfTheirWeight() {
        Kind refused = new Kind("CLASS_REFUSED", "java.lang.Thread");
        Kind damaged = new Kind("MALFORMED", "");
        Example first = new Example("root", "first");
        Example last = new Example("root.x", "last");
        for (Example example : List.of(first, last)) {
            totals.add(
                    new SerializationReport(
                            "1",
                            2000,
                            List.of(),
                            List.of(new OfClass("small", new Work(9, 9, 0)), new OfClass("large", new Work(1, 10, 0))),
                            List.of(new Failures(damaged, 1, first), new Failures(refused, 2, example)),
                            null,
                            null),
                    NOW);
        }
        Snapshot snapshot = totals.snapshot(NOW);
        assertThat(snapshot.classes())
                .containsExactly(new OfClass("large", new Work(2, 20, 0)), new OfClass("small", new Work(18, 18, 0)));
        assertThat(snapshot.failures())
                .containsExactly(new Failures(refused, 4, last), new Failures(damaged, 2, first));
    }

    @Test
    void whatIsKeptIsBounded() {
        int many = 3000;
        for (int i = 0; i < many; i++) {
            String name = "x" + i;
            totals.add(
                    new SerializationReport(
                            Integer.toString(i),
                            2000,
                            List.of(new OfStage(i, SOME), new OfStage(-1, SOME)),
                            List.of(new OfClass(name, new Work(1, 1, 0))),
                            List.of(new Failures(new Kind("CLASS_REFUSED", name), 1, new Example(name, name))),
                            null,
                            null),
                    NOW + i);
        }
        Snapshot snapshot = totals.snapshot(NOW + many);
        assertThat(snapshot.executors()).hasSize(SerializationTotals.MOST_EXECUTORS);
        assertThat(snapshot.stages()).hasSize(SerializationTotals.MOST_STAGES);
        assertThat(snapshot.stages().get(0).stage()).isEqualTo(many - 1);
        assertThat(snapshot.stages().get(SerializationTotals.MOST_STAGES - 1).stage())
                .isEqualTo(-1);
        assertThat(snapshot.classes()).hasSizeLessThanOrEqualTo(EncodedClasses.MOST_CLASSES + 1);
        assertThat(snapshot.failures()).hasSizeLessThanOrEqualTo(SerializationFailures.MOST_KINDS + 1);
        assertThat(snapshot.total().encoded().records()).isEqualTo(4L * many);
        assertThat(snapshot.classes().stream()
                        .mapToLong(each -> each.encoded().records())
                        .sum())
                .isEqualTo(many);
        assertThat(snapshot.failures().stream().mapToLong(Failures::count).sum())
                .isEqualTo(many);
    }

    @Test
    void executorsThatHaveEndedAreForgottenFirst() {
        totals.add(hello("driver"));
        for (int i = 0; i < SerializationTotals.MOST_EXECUTORS - 1; i++) {
            totals.add(hello(Integer.toString(i)));
        }
        totals.end("7", "lost");
        totals.end("5", "lost");
        totals.add(hello("2000"));
        assertThat(ids()).hasSize(SerializationTotals.MOST_EXECUTORS).contains("driver", "0", "1", "5", "2000");
        assertThat(ids()).as("the first that ended").doesNotContain("7");
        totals.add(hello("2001"));
        assertThat(ids()).contains("driver", "0", "1", "2000", "2001").doesNotContain("5");
    }

    @Test
    void whereNoneHasEndedTheLongestSilentIsForgottenButNeverTheDriver() {
        totals.add(hello("driver"));
        for (int i = 0; i < SerializationTotals.MOST_EXECUTORS - 1; i++) {
            totals.add(hello(Integer.toString(i)));
        }
        totals.add(report("0", 1), NOW);
        totals.add(hello("2000"));
        assertThat(ids()).hasSize(SerializationTotals.MOST_EXECUTORS).contains("driver", "0", "2", "2000");
        assertThat(ids()).as("the one that was silent for longest").doesNotContain("1");
    }

    private List<String> ids() {
        return totals.snapshot(NOW).executors().stream().map(Executor::id).toList();
    }

    @Test
    void aSeriesOfReportsTellsEverythingOnce() {
        SerializationCounters.startOver();
        SerializationReport.Series series = new SerializationReport.Series("1", () -> new Engine(0, 0, List.of()));
        assertThat(series.next(2000)).isNull();
        SerializationCounters.ofStage(3).encoded(2, 30, 400);
        SerializationCounters.ofStage(3).decoded(1, 10, 100);
        EncodedClasses.add("text", 2, 30);
        totals.add(series.next(2000), NOW);
        assertThat(series.next(2000)).isNull();
        SerializationCounters.ofStage(3).encoded(2, 30, 400);
        SerializationCounters.ofStage(4).decoded(1, 10, 100);
        totals.add(series.next(2000), NOW);
        Snapshot snapshot = totals.snapshot(NOW);
        assertThat(snapshot.total()).isEqualTo(TWICE).isEqualTo(SerializationCounters.total());
        assertThat(snapshot.classes()).containsExactly(new OfClass("java.lang.String", new Work(2, 30, 0)));
    }

    @Test
    void reportsTravelByJavaSerialization() throws Exception {
        SerializationReport report = new SerializationReport(
                "1",
                2000,
                List.of(new OfStage(5, SOME)),
                List.of(new OfClass("a.B", new Work(1, 1, 0))),
                List.of(new Failures(new Kind("LIMIT", ""), 1, new Example("", "too large"))),
                new Engine(1, 2, List.of("LIMITS: 2")),
                new SerializationReport.Cached(1, 2, 3, 4, 5));
        assertThat(copy(report)).isEqualTo(report);
        SerializationReport ofAnother = new SerializationReport("1", 0, null, null, null, null, null);
        assertThat(ofAnother.stages()).isEmpty();
        assertThat(ofAnother.total()).isEqualTo(Progress.NONE);
        totals.add(ofAnother, NOW);
    }

    private static Object copy(Object original) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(original);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }

    @Test
    void theReporterTellsWhatIsLeftWhenItEnds() {
        SerializationCounters.startOver();
        java.util.List<SerializationReport> told = new java.util.concurrent.CopyOnWriteArrayList<>();
        SerializationReporter reporter = SerializationReporter.start("7", told::add);
        SerializationCounters.ofStage(1).encoded(5, 50, 500);
        reporter.close();
        reporter.close();
        assertThat(told).singleElement().satisfies(report -> {
            assertThat(report.executorId()).isEqualTo("7");
            assertThat(report.total().encoded()).isEqualTo(new Work(5, 50, 500));
        });
    }
}
