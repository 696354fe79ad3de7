package org.heapspan.spark.report;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.spark.report.SerializationReport.Cached;
import org.heapspan.spark.report.SerializationReport.Engine;
import org.heapspan.spark.report.SerializationReport.Failures;
import org.heapspan.spark.report.SerializationReport.OfClass;
import org.heapspan.spark.report.SerializationReport.OfStage;
import org.heapspan.spark.statistics.Progress;
import org.heapspan.spark.statistics.Work;
import org.jspecify.annotations.Nullable;

/** A {@link SerializationReport} as Java serialization writes it: arrays of numbers and texts. Records would take dozens of method handles of the JVM that reads them. */
final class SentReport implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Records, bytes, nanoseconds. */
    private static final int NUMBERS_OF_WORK = 3;

    private final String executorId;
    private final long millis;
    private final int[] stages;

    /** Of each stage what was encoded, and behind that what was decoded. */
    private final long[] workOfStages;

    private final String[] classes;
    private final long[] workOfClasses;

    /** Hardly ever any. */
    private final Failures[] failures;

    /** Null if there is no engine. */
    private final long @Nullable [] chunks;

    private final String[] reasons;

    /** Null if nothing is known of a second heap. */
    private final long @Nullable [] cached;

    private SentReport(SerializationReport report) {
        executorId = report.executorId();
        millis = report.millis();
        List<OfStage> ofStages = report.stages();
        stages = new int[ofStages.size()];
        workOfStages = new long[2 * NUMBERS_OF_WORK * stages.length];
        for (int i = 0; i < stages.length; i++) {
            stages[i] = ofStages.get(i).stage();
            put(ofStages.get(i).progress().encoded(), workOfStages, 2 * i);
            put(ofStages.get(i).progress().decoded(), workOfStages, 2 * i + 1);
        }
        List<OfClass> ofClasses = report.classes();
        classes = new String[ofClasses.size()];
        workOfClasses = new long[NUMBERS_OF_WORK * classes.length];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = ofClasses.get(i).name();
            put(ofClasses.get(i).encoded(), workOfClasses, i);
        }
        failures = report.failures().toArray(new Failures[0]);
        Engine engine = report.engine();
        chunks = engine == null ? null : new long[] {engine.chunksCarved(), engine.chunksPortable()};
        reasons = engine == null ? new String[0] : engine.reasons().toArray(new String[0]);
        Cached held = report.cached();
        cached = held == null
                ? null
                : new long[] {held.partitions(), held.heldBytes(), held.storedBytes(), held.readBytes(), held.declined()
                };
    }

    static SentReport of(SerializationReport report) {
        return new SentReport(report);
    }

    private static void put(Work work, long[] numbers, int index) {
        numbers[NUMBERS_OF_WORK * index] = work.records();
        numbers[NUMBERS_OF_WORK * index + 1] = work.bytes();
        numbers[NUMBERS_OF_WORK * index + 2] = work.nanos();
    }

    private static Work work(long[] numbers, int index) {
        int first = NUMBERS_OF_WORK * index;
        return new Work(numbers[first], numbers[first + 1], numbers[first + 2]);
    }

    private Object readResolve() {
        List<OfStage> ofStages = new ArrayList<>();
        for (int i = 0; i < stages.length; i++) {
            ofStages.add(new OfStage(
                    stages[i], new Progress(work(workOfStages, 2 * i), work(workOfStages, 2 * i + 1))));
        }
        List<OfClass> ofClasses = new ArrayList<>();
        for (int i = 0; i < classes.length; i++) {
            ofClasses.add(new OfClass(classes[i], work(workOfClasses, i)));
        }
        Engine engine = chunks == null ? null : new Engine(chunks[0], chunks[1], List.of(reasons));
        Cached held = cached == null ? null : new Cached(cached[0], cached[1], cached[2], cached[3], cached[4]);
        return new SerializationReport(executorId, millis, ofStages, ofClasses, List.of(failures), engine, held);
    }
}
