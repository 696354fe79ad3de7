package org.heapspan.spark.statistics;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.TaskContext;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM has encoded and decoded in one stage. The tab of Spark's UI and Spark's metrics show the sums.
 *
 * <p>Streams ask for the counters of their task once, when they begin, and add once for each group. Who writes records one by one uses an
 * {@link EncodeMeter}, as {@code OpenGroup} does:
 *
 * <pre>{@code
 * EncodeMeter meter = new EncodeMeter(SerializationCounters.ofCurrentTask());
 * ...
 * long begin = meter.begin();                    // 0 for most records
 * long before = begin == 0 ? 0 : group.sizeBytes();
 * group.write(record);
 * if (begin != 0) {
 *     meter.end(begin, record, group.sizeBytes() - before);
 * }
 * ...
 * long finishing = SampleClock.now();
 * ByteBuffer bytes = group.finishInPlace();
 * meter.groupLeft(records, bytes.remaining(), finishing);
 * }</pre>
 *
 * Who encodes many records in one call, as a shuffle writer may, measures the call and adds it with {@link #encoded}, once for
 * each group, and hands one of the records to {@link EncodedClasses#add}. For reading there is {@link #decoded}: groups are decoded whole.
 * The time is that of encoding or decoding alone: neither that of compression, of disk or network, nor that of the
 * program that makes or takes the records. There are two exceptions. The time to decode plain pairs includes the time to read and decompress
 * them. Both times of a record of more than 16 MB include input, output and compression, because it is written and read piece by piece.
 *
 * <p>Thread-safe. Sums never decrease as long as the application runs. The last {@value #MOST_STAGES} stages are kept apart.
 */
public final class SerializationCounters {
    /** In place of a stage: task results, broadcasts, and all that the driver does. */
    public static final int NO_STAGE = -1;

    static final int MOST_STAGES = 1000;

    private static final Map<Integer, SerializationCounters> BY_STAGE = new ConcurrentHashMap<>();

    /** Of stages that are no longer kept apart. */
    private static Progress forgotten = Progress.NONE;

    private final Totals encoded = new Totals();
    private final Totals decoded = new Totals();

    private SerializationCounters() {}

    private static final class Totals {
        private final LongAdder records = new LongAdder();
        private final LongAdder bytes = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        void add(long moreRecords, long moreBytes, long moreNanos) {
            records.add(moreRecords);
            bytes.add(moreBytes);
            nanos.add(moreNanos);
        }

        Work sum() {
            return new Work(records.sum(), bytes.sum(), nanos.sum());
        }
    }

    /** The counters of the stage whose task this thread runs. */
    public static SerializationCounters ofCurrentTask() {
        @Nullable TaskContext task = TaskContext.get();
        return ofStage(task == null ? NO_STAGE : task.stageId());
    }

    /** The counters of a stage. */
    public static SerializationCounters ofStage(int stage) {
        SerializationCounters known = BY_STAGE.get(stage);
        return known != null ? known : add(stage);
    }

    private static synchronized SerializationCounters add(int stage) {
        if (BY_STAGE.size() >= MOST_STAGES) {
            // The oldest one. Streams that still add to it after so many stages are lost to the sums.
            int oldest = Collections.min(
                    BY_STAGE.keySet().stream().filter(any -> any != NO_STAGE).toList());
            SerializationCounters gone = BY_STAGE.remove(oldest);
            if (gone != null) {
                forgotten = forgotten.plus(gone.progress());
            }
        }
        return BY_STAGE.computeIfAbsent(stage, any -> new SerializationCounters());
    }

    /**
     * Adds what was encoded.
     *
     * @param records how many
     * @param bytes of their group or image, with its frame, before compression
     * @param nanos that encoding took
     */
    public void encoded(long records, long bytes, long nanos) {
        encoded.add(records, bytes, nanos);
    }

    /**
     * Adds what was decoded.
     *
     * @param records how many
     * @param bytes of their group or image, with its frame, after decompression
     * @param nanos that decoding took
     */
    public void decoded(long records, long bytes, long nanos) {
        decoded.add(records, bytes, nanos);
    }

    Progress progress() {
        return new Progress(encoded.sum(), decoded.sum());
    }

    /** What was done so far, by stage. */
    public static Map<Integer, Progress> byStage() {
        Map<Integer, Progress> snapshot = new HashMap<>();
        BY_STAGE.forEach((stage, counters) -> snapshot.put(stage, counters.progress()));
        return snapshot;
    }

    /** What was done so far in all. */
    public static synchronized Progress total() {
        Progress sum = forgotten;
        for (SerializationCounters counters : BY_STAGE.values()) {
            sum = sum.plus(counters.progress());
        }
        return sum;
    }

    /** Begins at zero: for a new application in the same JVM, whose stages have the numbers of others before. */
    public static synchronized void startOver() {
        BY_STAGE.clear();
        forgotten = Progress.NONE;
        EncodedClasses.startOver();
        SerializationFailures.startOver();
    }
}
