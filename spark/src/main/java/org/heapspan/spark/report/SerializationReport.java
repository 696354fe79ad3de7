package org.heapspan.spark.report;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.heapspan.EngineStatistics;
import org.heapspan.Heapspan;
import org.heapspan.spark.statistics.CachedPartitions;
import org.heapspan.spark.statistics.EncodedClasses;
import org.heapspan.spark.statistics.Progress;
import org.heapspan.spark.statistics.SerializationCounters;
import org.heapspan.spark.statistics.SerializationFailures;
import org.heapspan.spark.statistics.SerializationFailures.Example;
import org.heapspan.spark.statistics.SerializationFailures.Kind;
import org.heapspan.spark.statistics.Work;
import org.jspecify.annotations.Nullable;

/**
 * What a JVM has encoded and decoded since its last report, so that the driver only adds. Sent as a {@link SentReport}.
 *
 * @param executorId number of the executor, {@code driver} for the driver
 * @param millis how long ago the last report was, or would have been had there been news
 * @param stages by stage
 * @param classes of the records, estimated
 * @param failures what could not be encoded or decoded
 * @param engine who has made the objects of raw images, since the JVM began
 * @param cached what the second heap holds; null without one
 */
public record SerializationReport(
        String executorId,
        long millis,
        List<OfStage> stages,
        List<OfClass> classes,
        List<Failures> failures,
        @Nullable Engine engine,
        @Nullable Cached cached)
        implements Serializable {
    /** How Spark calls the driver among the executors. */
    public static final String DRIVER = "driver";

    public SerializationReport {
        stages = known(stages);
        classes = known(classes);
        failures = known(failures);
    }

    private static <T> List<T> known(@Nullable List<T> list) {
        return list == null ? List.of() : List.copyOf(list);
    }

    private Object writeReplace() {
        return SentReport.of(this);
    }

    /**
     * What was done for a stage.
     *
     * @param stage its number, or {@link SerializationCounters#NO_STAGE}
     * @param progress since the last report
     */
    public record OfStage(int stage, Progress progress) {}

    /**
     * What was encoded of a class.
     *
     * @param name of the class
     * @param encoded since the last report, without time
     */
    public record OfClass(String name, Work encoded) {}

    /**
     * Failures of one kind.
     *
     * @param kind what failed
     * @param count since the last report
     * @param last the latest
     */
    public record Failures(Kind kind, long count, Example last) implements Serializable {}

    /**
     * Chunks of raw images by the engine that made their objects.
     *
     * @param chunksCarved by the direct engine
     * @param chunksPortable by the portable one
     * @param reasons why by that, the most frequent first
     */
    public record Engine(long chunksCarved, long chunksPortable, List<String> reasons) {
        private static final int MOST_REASONS = 5;

        public Engine {
            reasons = known(reasons);
        }

        static Engine now() {
            EngineStatistics statistics = Heapspan.statistics();
            return new Engine(
                    statistics.chunksCarved(),
                    statistics.chunksPortable(),
                    statistics.fallbacks().stream()
                            .limit(MOST_REASONS)
                            .map(each -> each.reason()
                                    + (each.concerning().isEmpty() ? "" : " " + each.concerning())
                                    + ": " + each.chunks())
                            .toList());
        }
    }

    /**
     * The cached partitions of a JVM in its second heap.
     *
     * @param partitions how many it holds now
     * @param heldBytes how many bytes they take now
     * @param storedBytes how many were ever put there
     * @param readBytes how many were read; of partitions that were read in part, all
     * @param declined partitions that it could not take
     */
    public record Cached(long partitions, long heldBytes, long storedBytes, long readBytes, long declined) {
        public static final Cached NONE = new Cached(0, 0, 0, 0, 0);

        /** Without the method that the JVM would make for {@code equals}, which takes time when it starts. */
        boolean isSameAs(Cached other) {
            return partitions == other.partitions
                    && heldBytes == other.heldBytes
                    && storedBytes == other.storedBytes
                    && readBytes == other.readBytes
                    && declined == other.declined;
        }

        static Cached now() {
            CachedPartitions all = CachedPartitions.OF_THIS_JVM;
            return new Cached(all.partitions(), all.heldBytes(), all.storedBytes(), all.readBytes(), all.declined());
        }
    }

    /** What was done in all. */
    Progress total() {
        return stages.stream().map(OfStage::progress).reduce(Progress.NONE, Progress::plus);
    }

    /** Makes the reports of one JVM, each of which begins where the one before ended. Not thread-safe. */
    static final class Series {
        private final String executorId;
        private final Supplier<Engine> engine;
        private Map<Integer, Progress> stages = Map.of();
        private Map<String, Work> classes = Map.of();
        private Map<Kind, SerializationFailures.Cases> failures = Map.of();
        private Cached cached = Cached.NONE;

        Series(String executorId) {
            this(executorId, Engine::now);
        }

        Series(String executorId, Supplier<Engine> engine) {
            this.executorId = executorId;
            this.engine = engine;
        }

        /**
         * Makes the next report.
         *
         * @param millis how long ago it was asked for the last one
         * @return the report, or null if there are no news
         */
        @Nullable
        SerializationReport next(long millis) {
            List<OfStage> ofStages = newsOfStages();
            List<OfClass> ofClasses = newsOfClasses();
            List<Failures> ofFailures = newsOfFailures();
            Cached before = cached;
            cached = Cached.now();
            return ofStages.isEmpty() && ofClasses.isEmpty() && ofFailures.isEmpty() && cached.isSameAs(before)
                    ? null
                    : new SerializationReport(
                            executorId, millis, ofStages, ofClasses, ofFailures, engine.get(), cached);
        }

        private List<OfStage> newsOfStages() {
            Map<Integer, Progress> now = SerializationCounters.byStage();
            List<OfStage> news = new ArrayList<>();
            now.forEach((stage, progress) -> {
                Progress more = progress.minus(stages.getOrDefault(stage, Progress.NONE));
                if (!more.isNone()) {
                    news.add(new OfStage(stage, more));
                }
            });
            stages = now;
            return news;
        }

        private List<OfClass> newsOfClasses() {
            Map<String, Work> now = EncodedClasses.byName();
            List<OfClass> news = new ArrayList<>();
            now.forEach((name, encoded) -> {
                Work more = encoded.minus(classes.getOrDefault(name, Work.NONE));
                if (!more.isNone()) {
                    news.add(new OfClass(name, more));
                }
            });
            classes = now;
            return news;
        }

        private List<Failures> newsOfFailures() {
            Map<Kind, SerializationFailures.Cases> now = SerializationFailures.byKind();
            List<Failures> news = new ArrayList<>();
            now.forEach((kind, cases) -> {
                SerializationFailures.Cases before = failures.get(kind);
                long more = cases.count() - (before == null ? 0 : before.count());
                if (more != 0) {
                    news.add(new Failures(kind, more, cases.last()));
                }
            });
            failures = now;
            return news;
        }
    }
}
