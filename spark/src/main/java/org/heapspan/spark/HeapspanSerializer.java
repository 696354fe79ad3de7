package org.heapspan.spark;

import java.io.Serializable;
import java.util.function.LongPredicate;
import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.BroadcastWatch;
import org.apache.spark.heapspan.CombinerSizes;
import org.apache.spark.heapspan.HeapspanShuffleManager;
import org.apache.spark.heapspan.PartitionedRecords;
import org.apache.spark.heapspan.PartitioningSerializer;
import org.apache.spark.heapspan.StreamFiles;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.spark.aggregate.MeasuredCombiners;
import org.heapspan.spark.direct.DirectEngineSwitch;
import org.heapspan.spark.record.HeapspanSerializerInstance;
import org.heapspan.spark.record.PartitionedGroups;
import org.heapspan.spark.record.RecordEngine;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.SerializerOptions;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * A serializer for Spark that writes object images: {@code spark.serializer=org.heapspan.spark.HeapspanSerializer}. {@link HeapspanPlugin} sets
 * it automatically.
 *
 * <p>Each record is encoded when it is written, into an open group ({@code GroupOutput}). Records do not share objects, so the caller may change
 * and reuse a record. The bytes describe their classes. The class loader that Spark sets finds the classes, or else the context class loader of
 * the thread that calls {@link #newInstance}. Parts of a task are an exception: see {@link NestedStreams}.
 *
 * <p>Thread-safe. Each instance is for one thread at a time, as Spark requires.
 */
public final class HeapspanSerializer extends Serializer implements PartitioningSerializer, Serializable {
    private static final long serialVersionUID = 1L;

    private final SerializerOptions options;

    /** Whether the configuration names our shuffle manager. */
    private final boolean shuffleConfigured;

    /** Computes the sizes of combiners for shuffles of this serializer; null if Spark estimates them. */
    private final CombinerSizes.@Nullable Source combinerSizes;

    /** What writes broadcasts in its place, in the environment of the driver; null where nothing does. */
    private transient @Nullable Serializer ofBroadcasts;

    /** What writes files that applications without Heapspan read, in the environment of this JVM; null where this serializer came with a shuffle. */
    private final transient @Nullable StreamFiles streamFiles;

    /** The engine of the last instance; also keeps it from being collected between instances. */
    private transient volatile @Nullable RecordEngine latest;

    /**
     * Called by Spark.
     *
     * @param conf Spark's configuration
     * @throws IllegalArgumentException if a key {@code spark.heapspan.*} is unknown or has an invalid value
     */
    public HeapspanSerializer(SparkConf conf) {
        HeapspanConfiguration configuration = HeapspanConfiguration.of(conf);
        DirectEngineSwitch.apply(configuration);
        options = SerializerOptions.of(configuration);
        combinerSizes = configuration.get(HeapspanConfiguration.COMBINER_SIZES) ? new MeasuredCombiners() : null;
        shuffleConfigured = HeapspanShuffleManager.isConfigured(conf);
        streamFiles = new StreamFiles(conf);
    }

    /** One that leaves broadcasts to Java serialization, where {@link BroadcastWatch} knows of them. */
    static HeapspanSerializer withoutBroadcasts(SparkConf conf) {
        HeapspanSerializer serializer = new HeapspanSerializer(conf);
        serializer.ofBroadcasts = new JavaSerializer(conf);
        return serializer;
    }

    @Override
    public SerializerInstance newInstance() {
        Serializer other = ofBroadcasts;
        if (other != null && BroadcastWatch.isNextForBroadcast()) {
            return other.newInstance();
        }
        SerializerInstance ofStreamFile = streamFiles == null ? null : streamFiles.instance();
        if (ofStreamFile != null) {
            return ofStreamFile;
        }
        return new HeapspanSerializerInstance(engine());
    }

    /** Loads what the first record needs. */
    void warmUp() {
        engine().warmUp();
    }

    private RecordEngine engine() {
        ClassLoader loader = loader();
        RecordEngine engine = latest;
        if (engine == null || !engine.isFor(loader)) {
            engine = RecordEngine.of(options, loader);
            latest = engine;
        }
        return engine;
    }

    /** Where classes are found. */
    private @Nullable ClassLoader loader() {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        Option<ClassLoader> chosen = defaultClassLoader();
        if (chosen.isEmpty()) {
            return ofThread;
        }
        // They differ in tasks of sessions with jars of their own, and elsewhere seldom: looking at the stack takes
        // time.
        boolean isOfTask = ofThread != null && ofThread != chosen.get() && NestedStreams.isNext();
        return isOfTask ? ofThread : chosen.get();
    }

    @Override
    public PartitionedRecords partitionedRecords(int partitions, boolean checked, LongPredicate memory) {
        return new PartitionedGroups(engine().forShuffle(), partitions, checked, memory);
    }

    @Override
    public SerializerInstance ofPlainBlocks() {
        return HeapspanSerializerInstance.ofPlainBlocks(engine());
    }

    @Override
    public CombinerSizes.@Nullable Source combinerSizes() {
        return combinerSizes;
    }

    /**
     * Returns whether Spark may reorder serialized records. Groups of records can be reordered, so Spark can fetch and merge blocks of a shuffle
     * together. But if this is true, one of Spark's own shuffle writers flushes after every record, which makes groups of one record. So it is
     * true only with {@link HeapspanShuffleManager}, which does not use that writer.
     *
     * <p>Spark calls this for each shuffle of RDDs. Before Spark 4.3 the shuffle manager cannot be found here, and {@link
     * HeapspanShuffleManager} does not support those versions. So it is false there, which is correct for every shuffle manager.
     */
    @Override
    public boolean supportsRelocationOfSerializedObjects() {
        try {
            return HeapspanShuffleManager.isInUse(shuffleConfigured);
        } catch (LinkageError e) {
            return false;
        }
    }
}
