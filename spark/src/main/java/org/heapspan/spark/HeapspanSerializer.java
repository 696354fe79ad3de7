package org.heapspan.spark;

import java.io.Serializable;
import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.BroadcastWatch;
import org.apache.spark.heapspan.CombinerSizes;
import org.apache.spark.heapspan.HeapspanShuffleManager;
import org.apache.spark.heapspan.PartitionedRecords;
import org.apache.spark.heapspan.PartitioningSerializer;
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
 * A serializer for Spark that writes object images: {@code spark.serializer=org.heapspan.spark.HeapspanSerializer}. {@link HeapspanPlugin} sets it by
 * itself.
 *
 * <p>A record is encoded when it is written, into an open group ({@code GroupOutput}). It shares nothing with other records, so the caller may change and
 * reuse it. The bytes describe their classes. Classes are found by the loader that Spark sets, else by the context class loader of the thread that asks
 * for an instance.
 *
 * <p>Thread-safe. Instances are for one thread at a time, as Spark wants it.
 */
public final class HeapspanSerializer extends Serializer implements PartitioningSerializer, Serializable {
    private static final long serialVersionUID = 1L;

    private final SerializerOptions options;

    /** Whether the configuration names our shuffle manager. */
    private final boolean shuffleConfigured;

    /** How shuffles of this serializer follow the memory of combiners; null where Spark does. */
    private final CombinerSizes.@Nullable Source combinerSizes;

    /** What writes broadcasts in its place, in the environment of the driver; null where nothing does. */
    private transient @Nullable Serializer ofBroadcasts;

    /** The engine of the last instance; also keeps it from being collected between instances. */
    private transient volatile @Nullable RecordEngine latest;

    /**
     * Called by Spark.
     *
     * @param conf Spark's configuration
     * @throws IllegalArgumentException if a key {@code spark.heapspan.*} is not known or has a wrong value
     */
    public HeapspanSerializer(SparkConf conf) {
        HeapspanConfiguration configuration = HeapspanConfiguration.of(conf);
        DirectEngineSwitch.apply(configuration);
        options = SerializerOptions.of(configuration);
        combinerSizes = configuration.get(HeapspanConfiguration.COMBINER_SIZES) ? new MeasuredCombiners() : null;
        shuffleConfigured = HeapspanShuffleManager.isConfigured(conf);
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
        return new HeapspanSerializerInstance(engine());
    }

    private RecordEngine engine() {
        Option<ClassLoader> chosen = defaultClassLoader();
        ClassLoader loader =
                chosen.isDefined() ? chosen.get() : Thread.currentThread().getContextClassLoader();
        RecordEngine engine = latest;
        if (engine == null || !engine.isFor(loader)) {
            engine = RecordEngine.of(options, loader);
            latest = engine;
        }
        return engine;
    }

    @Override
    public PartitionedRecords partitionedRecords(int partitions) {
        return new PartitionedGroups(engine().forShuffle(), partitions);
    }

    @Override
    public CombinerSizes.@Nullable Source combinerSizes() {
        return combinerSizes;
    }

    /**
     * Whether serialized records may be put into another order without being read. Groups of them may, so that blocks of a shuffle can be
     * fetched and merged together. But Spark takes it as leave to flush after every record in one of its own shuffle writers, which makes
     * groups of one: so it is true only with {@link HeapspanShuffleManager}, which does without that writer.
     *
     * <p>Spark asks for each shuffle of RDDs. Before 4.3 it cannot be asked for its shuffle manager, and ours is not made for it: it is false there,
     * which is right with any.
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
