package org.heapspan.spark.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.heapspan.spark.report.SerializationReport.Cached;
import org.heapspan.spark.report.SerializationReport.Engine;
import org.heapspan.spark.report.SerializationReport.Failures;
import org.heapspan.spark.report.SerializationReport.OfClass;
import org.heapspan.spark.report.SerializationReport.OfStage;
import org.heapspan.spark.statistics.EncodedClasses;
import org.heapspan.spark.statistics.Progress;
import org.heapspan.spark.statistics.SerializationCounters;
import org.heapspan.spark.statistics.SerializationFailures;
import org.heapspan.spark.statistics.SerializationFailures.Kind;
import org.heapspan.spark.statistics.Work;
import org.jspecify.annotations.Nullable;

/**
 * What all JVMs of an application have told the driver, added up. However long it runs, {@value #MOST_EXECUTORS} executors, those that have ended
 * being forgotten first, and the last {@value #MOST_STAGES} stages are told apart, and as many classes and failures as one JVM tells apart.
 * Thread-safe.
 */
public final class SerializationTotals {
    static final int MOST_EXECUTORS = 1000;
    static final int MOST_STAGES = 1000;

    private final long beginMillis;

    /** In the order in which something was last heard of them. */
    private final Map<String, Executor> executors = new LinkedHashMap<>();

    private final TreeMap<Integer, Progress> stages = new TreeMap<>();
    private final Map<String, Work> classes = new HashMap<>();
    private final Map<Kind, Failures> failures = new HashMap<>();
    private final RateHistory rates = new RateHistory();
    private Progress total = Progress.NONE;

    /**
     * Begins with nothing.
     *
     * @param nowMillis in milliseconds since 1970, as below
     */
    public SerializationTotals(long nowMillis) {
        beginMillis = nowMillis;
    }

    /**
     * What is known of an executor, or of the driver.
     *
     * @param id its number, or {@code driver}
     * @param report what it runs on; null if it has not told yet
     * @param progress what it has done
     * @param engine by which engine; null if it has not told yet
     * @param cached what its second heap holds; null if it has none or has not told yet
     * @param end why it is gone; null as long as it is not
     */
    public record Executor(
            String id,
            @Nullable ExecutorReport report,
            Progress progress,
            @Nullable Engine engine,
            @Nullable Cached cached,
            @Nullable String end) {}

    /**
     * All that is known, at one moment.
     *
     * @param beginMillis when the application began, in milliseconds since 1970
     * @param total of all JVMs
     * @param executors the driver first, then by number
     * @param stages the latest first
     * @param classes with the most bytes first
     * @param failures the most frequent first
     * @param rates the last minutes, oldest first
     */
    public record Snapshot(
            long beginMillis,
            Progress total,
            List<Executor> executors,
            List<OfStage> stages,
            List<OfClass> classes,
            List<Failures> failures,
            List<RateHistory.Point> rates) {}

    public synchronized void add(ExecutorReport report) {
        Executor known = executor(report.executorId());
        put(new Executor(known.id(), report, known.progress(), known.engine(), known.cached(), known.end()));
    }

    public synchronized void add(SerializationReport report, long nowMillis) {
        Progress more = report.total();
        total = total.plus(more);
        Executor known = executor(report.executorId());
        Engine engine = report.engine() == null ? known.engine() : report.engine();
        Cached cached = report.cached() == null ? known.cached() : report.cached();
        put(new Executor(known.id(), known.report(), known.progress().plus(more), engine, cached, known.end()));
        for (OfStage each : report.stages()) {
            stages.merge(each.stage(), each.progress(), Progress::plus);
            if (stages.size() > MOST_STAGES) {
                // No stage is the smallest number, and stays.
                stages.remove(stages.higherKey(SerializationCounters.NO_STAGE));
            }
        }
        for (OfClass each : report.classes()) {
            boolean room = classes.size() < EncodedClasses.MOST_CLASSES || classes.containsKey(each.name());
            classes.merge(room ? each.name() : EncodedClasses.OTHERS, each.encoded(), Work::plus);
        }
        for (Failures each : report.failures()) {
            add(each);
        }
        rates.add(
                nowMillis,
                report.millis(),
                more.encoded().bytes(),
                more.decoded().bytes());
    }

    /** Notes that an executor is gone. */
    public synchronized void end(String executorId, String why) {
        Executor known = executor(executorId);
        put(new Executor(known.id(), known.report(), known.progress(), known.engine(), known.cached(), why));
    }

    private void add(Failures more) {
        boolean room = failures.size() < SerializationFailures.MOST_KINDS || failures.containsKey(more.kind());
        Kind kind = room ? more.kind() : new Kind(more.kind().category(), "");
        failures.merge(
                kind,
                new Failures(kind, more.count(), more.last()),
                (before, after) -> new Failures(kind, before.count() + after.count(), after.last()));
    }

    private Executor executor(String id) {
        Executor known = executors.get(id);
        return known == null ? new Executor(id, null, Progress.NONE, null, null, null) : known;
    }

    private void put(Executor executor) {
        // The map keeps the place of a key that it has.
        executors.remove(executor.id());
        executors.put(executor.id(), executor);
        if (executors.size() > MOST_EXECUTORS) {
            executors.remove(mostDispensable());
        }
    }

    /** One that has ended, else the one that has been silent for longest, but never the driver. */
    private String mostDispensable() {
        String silent = "";
        for (Executor each : executors.values()) {
            if (each.id().equals(SerializationReport.DRIVER)) {
                continue;
            }
            if (each.end() != null) {
                return each.id();
            }
            if (silent.isEmpty()) {
                silent = each.id();
            }
        }
        return silent;
    }

    /** Whether an executor, or the driver, has told what it runs on. */
    public synchronized boolean knows(String executorId) {
        return executor(executorId).report() != null;
    }

    public synchronized Snapshot snapshot(long nowMillis) {
        List<OfStage> ofStages = new ArrayList<>();
        stages.descendingMap().forEach((stage, progress) -> ofStages.add(new OfStage(stage, progress)));
        List<OfClass> ofClasses = new ArrayList<>();
        classes.forEach((name, encoded) -> ofClasses.add(new OfClass(name, encoded)));
        ofClasses.sort(Comparator.comparingLong((OfClass each) -> each.encoded().bytes())
                .reversed()
                .thenComparing(OfClass::name));
        List<Failures> ofFailures = new ArrayList<>(failures.values());
        ofFailures.sort(Comparator.comparingLong(Failures::count).reversed());
        List<Executor> ofExecutors = new ArrayList<>(executors.values());
        // Numbers by length, then by digits; `driver` is the only name.
        ofExecutors.sort(Comparator.comparing(
                        (Executor each) -> Character.isDigit(each.id().charAt(0)))
                .thenComparingInt(each -> each.id().length())
                .thenComparing(Executor::id));
        return new Snapshot(beginMillis, total, ofExecutors, ofStages, ofClasses, ofFailures, rates.points(nowMillis));
    }
}
