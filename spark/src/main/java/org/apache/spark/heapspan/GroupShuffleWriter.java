package org.apache.spark.heapspan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.Aggregator;
import org.apache.spark.Partitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Writes the records of a map task: each is encoded at once for its reducer, so that it may be changed by whoever delivers it. What has been
 * encoded stays in memory, which Spark accounts for, and is spilled where that is short. For the thread of the task.
 */
final class GroupShuffleWriter<K, V> extends ShuffleWriter<K, V> implements RecordMemory.Spillable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupShuffleWriter.class);

    /** With less than this nothing is spilled: files of a few records each would cost more than the memory is worth. */
    private static final long LEAST_SPILLED_BYTES = 1 << 20;

    /** How much records may grow without memory before it is asked for again. */
    private static final long UNRESERVED_BYTES = 128 << 10;

    /** How the names of Scala's pairs for numbers begin. */
    private static final String SPECIALIZED = Tuple2.class.getName() + "$mc";

    private final ShuffleDependency<K, V, ?> dependency;
    private final TaskContext context;
    private final ShuffleWriteMetricsReporter metrics;
    private final MapOutput output;
    private final PartitionedRecords open;
    private final RecordMemory memory;
    private final Thread owner = Thread.currentThread();
    private final long mostBytes;
    private final int mostRecords;

    private final List<SpilledRecords> spills = new ArrayList<>();

    /** How much the open records may take before there is something to do. */
    private long limitBytes;

    /** The class of the latest pair for numbers. */
    private @Nullable Class<?> specializedPair;

    private int openRecords;

    /** Whether the task is in the iterator that delivers the records, and not in one of them. */
    private boolean betweenRecords;

    /** Why a spill has failed. Records that were in it may be in no file, and no longer in memory. */
    private @Nullable Throwable spillFailure;

    private @Nullable MapStatus status;
    private boolean stopped;

    GroupShuffleWriter(
            ShuffleDependency<K, V, ?> dependency,
            TaskContext context,
            ShuffleWriteMetricsReporter metrics,
            MapOutput output) {
        this.dependency = dependency;
        this.context = context;
        this.metrics = metrics;
        this.output = output;
        open = ((PartitioningSerializer) dependency.serializer())
                .partitionedRecords(output.partitions(), !output.noticesDamage(), this::mayKeep);
        memory = new RecordMemory(context.taskMemoryManager(), this);
        SparkConf conf = SparkEnv.get().conf();
        mostRecords = (int) conf.get(package$.MODULE$.SHUFFLE_SPILL_NUM_ELEMENTS_FORCE_SPILL_THRESHOLD());
        mostBytes = (long) conf.get(package$.MODULE$.SHUFFLE_SPILL_MAX_SIZE_FORCE_SPILL_THRESHOLD());
    }

    @Override
    public void write(Iterator<Product2<K, V>> records) throws IOException {
        try {
            encode(dependency.mapSideCombine() ? combined(records) : records);
            status = output.write(spills, open, mergeBytes());
            metrics.incRecordsWritten(openRecords);
            context.taskMetrics().incPeakExecutionMemory(memory.peakBytes());
        } finally {
            release();
        }
    }

    private Iterator<? extends Product2<K, ?>> combined(Iterator<Product2<K, V>> records) {
        Aggregator<K, V, ?> aggregator = dependency.aggregator().get();
        return aggregator.combineValuesByKey(records, context);
    }

    private void encode(Iterator<? extends Product2<K, ?>> records) throws IOException {
        Partitioner partitioner = dependency.partitioner();
        while (hasNext(records)) {
            Product2<K, ?> record = next(records);
            K key = record._1();
            int partition = partitioner.getPartition(key);
            Object pair = isPlainPair(record.getClass()) ? record : new Tuple2<>(key, record._2());
            if (!open.write(partition, pair)) {
                spillLong(partition, pair);
            } else if (++openRecords >= mostRecords) {
                spill();
            } else if (open.memoryBytes() > limitBytes) {
                makeRoom();
            }
        }
    }

    /**
     * Whether objects of a class are Scala's own pairs, for numbers too, which have nothing but key and value. Of all other pairs readers get key and value only, as
     * from Spark: another subclass may refer to more, such as the object around it.
     */
    private boolean isPlainPair(Class<?> type) {
        if (type == Tuple2.class || type == specializedPair) {
            return true;
        }
        boolean isSpecialized =
                type.getSuperclass() == Tuple2.class && type.getName().startsWith(SPECIALIZED);
        if (isSpecialized) {
            specializedPair = type;
        }
        return isSpecialized;
    }

    private boolean hasNext(Iterator<?> records) throws IOException {
        betweenRecords = true;
        boolean hasNext = records.hasNext();
        betweenRecords = false;
        if (spillFailure != null) {
            // Whoever wanted the memory may have gone on without it.
            throw new IOException(
                    "records of task " + context.taskAttemptId()
                            + " are lost: they could not be spilled when another part of the task needed their memory;"
                            + " Spark tries the task again",
                    spillFailure);
        }
        return hasNext;
    }

    private <T> T next(Iterator<T> records) {
        betweenRecords = true;
        T record = records.next();
        betweenRecords = false;
        return record;
    }

    private void makeRoom() throws IOException {
        boolean hasRoom = mayKeep(open.memoryBytes()) || open.shrink() && mayKeep(open.memoryBytes());
        long openBytes = open.memoryBytes();
        if (hasRoom) {
            limitBytes = Math.min(memory.getUsed(), mostBytes - 1);
        } else if (openBytes >= mostBytes || openBytes >= LEAST_SPILLED_BYTES) {
            spill();
        } else {
            limitBytes = openBytes + UNRESERVED_BYTES;
        }
    }

    /** How much the buffers of a merge may take: what is reserved for them, or as little as may be taken without. */
    private long mergeBytes() {
        long bytes = output.mergeBytes(spills);
        return bytes == 0 || memory.reserve(open.memoryBytes() + bytes) ? bytes : Math.min(bytes, UNRESERVED_BYTES);
    }

    /** Whether open records may take so many bytes. */
    private boolean mayKeep(long openBytes) {
        return openBytes < mostBytes && memory.reserve(openBytes);
    }

    @Override
    public long spillForOthers() throws IOException {
        // Another thread of the task may ask, or a method of a record that is being encoded: then it must do without.
        if (Thread.currentThread() != owner || !betweenRecords || openRecords == 0 || spillFailure != null) {
            return 0;
        }
        return spill();
    }

    /** Writes a record for which there is no memory behind those that are open. */
    private void spillLong(int partition, Object record) throws IOException {
        if (openRecords > 0) {
            spill();
        }
        SpilledRecords written = output.spillLong(partition, open, record);
        // It took no memory, but Spark's pages show no spill without.
        spilled(written, 1, written.sizeBytes());
        // What was reserved for it.
        memory.release();
        limitBytes = 0;
    }

    private void spilled(SpilledRecords spilled, int records, long memoryBytes) {
        spills.add(spilled);
        LOG.info(
                "Task {} has spilled {} records of {} bytes in memory to {} bytes on disk, {} times so far",
                context.taskAttemptId(),
                records,
                memoryBytes,
                spilled.sizeBytes(),
                spills.size());
        metrics.incRecordsWritten(records);
        context.taskMetrics().incMemoryBytesSpilled(memoryBytes);
        context.taskMetrics().incDiskBytesSpilled(spilled.sizeBytes());
    }

    private long spill() throws IOException {
        long openBytes = open.memoryBytes();
        try {
            spilled(output.spill(open), openRecords, openBytes);
        } catch (Throwable e) {
            spillFailure = e;
            throw e;
        }
        openRecords = 0;
        open.clear();
        limitBytes = 0;
        return memory.release();
    }

    private void release() {
        betweenRecords = false;
        open.clear();
        memory.release();
        spills.forEach(SpilledRecords::delete);
        spills.clear();
    }

    @Override
    public Option<MapStatus> stop(boolean success) {
        if (stopped) {
            return Option.empty();
        }
        stopped = true;
        if (!success) {
            release();
            return Option.empty();
        }
        if (status == null) {
            throw new IllegalStateException("the shuffle writer was stopped before it has written; call write first");
        }
        return Option.apply(status);
    }

    @Override
    public long[] getPartitionLengths() {
        return output.lengths();
    }
}
