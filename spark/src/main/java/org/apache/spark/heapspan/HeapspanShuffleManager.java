package org.apache.spark.heapspan;

import org.apache.spark.Aggregator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Extends Spark's sort shuffle: if the serializer of a shuffle is a {@link PartitioningSerializer}, map tasks encode records straight into groups, one
 * for each reducer. Everything else is Spark's: files and their index, fetching, reading, all other shuffles. Spark makes it, by the name of the class in
 * {@code spark.shuffle.manager}.
 *
 * <p>Spark gives shuffles of primitives, their arrays and strings its own Kryo serializer, whatever {@code spark.serializer} is. This class takes them
 * over too, unless the application has settings of its own for Kryo.
 *
 * <p>Relies on {@code core/.../shuffle/sort/SortShuffleManager.scala}, {@code core/.../shuffle/ShuffleManager.scala} and
 * {@code core/.../serializer/SerializerManager.scala} of Spark 4.3.
 */
public final class HeapspanShuffleManager extends SortShuffleManager {
    /** Spark's key for the class of the shuffle manager. */
    public static final String KEY = "spark.shuffle.manager";

    /** How the version begins for which all that this relies on has been checked. */
    private static final String VERSION = "4.3.";

    private static final Logger LOG = LoggerFactory.getLogger(HeapspanShuffleManager.class);

    private final SparkConf conf;
    private final IndexShuffleBlockResolver resolver;

    /**
     * Called by Spark.
     *
     * @param conf Spark's configuration
     */
    public HeapspanShuffleManager(SparkConf conf) {
        super(conf);
        this.conf = conf;
        resolver = new CompleteBlockResolver(conf, super.shuffleBlockResolver().taskIdMapsForShuffle());
    }

    @Override
    public IndexShuffleBlockResolver shuffleBlockResolver() {
        return resolver;
    }

    /**
     * Whether a configuration names this shuffle manager.
     *
     * @param conf Spark's configuration
     * @return true if it does
     */
    public static boolean isConfigured(SparkConf conf) {
        return conf.get(KEY, "").equals(HeapspanShuffleManager.class.getName());
    }

    /**
     * Whether this shuffle manager works in this JVM.
     *
     * @param configured the answer while Spark has not made its shuffle manager yet
     * @return true if it does
     * @throws LinkageError before Spark 4.3, whose environment lacks the methods that say so
     */
    public static boolean isInUse(boolean configured) {
        SparkEnv environment = SparkEnv.get();
        return environment == null || !environment.isShuffleManagerInitialized()
                ? configured
                : environment.blockingShuffleManager() instanceof HeapspanShuffleManager;
    }

    /**
     * Finds out whether it can work with this Spark on this JVM.
     *
     * @throws ReflectiveOperationException if not; the message says why
     */
    public static void check() throws ReflectiveOperationException {
        String version = org.apache.spark.package$.MODULE$.SPARK_VERSION();
        if (!version.startsWith(VERSION)) {
            throw new NoSuchMethodException(
                    "this is Spark " + version + ", and the shuffle manager is made for " + VERSION + "x");
        }
        DependencyParts.check();
        MapOutputComponents.check();
    }

    @Override
    public <K, V, C> ShuffleHandle registerShuffle(int shuffleId, ShuffleDependency<K, V, C> dependency) {
        // Checksums of rows are of DataFrames, whose rows we do not serialize.
        if (dependency.rowBasedChecksums().length == 0 && isOurs(dependency)) {
            followSizes(dependency);
            return new GroupShuffleHandle<>(shuffleId, dependency);
        }
        return super.registerShuffle(shuffleId, dependency);
    }

    private boolean isOurs(ShuffleDependency<?, ?, ?> dependency) {
        if (dependency.serializer() instanceof PartitioningSerializer) {
            return true;
        }
        Serializer general = SparkEnv.get().serializer();
        if (!(general instanceof PartitioningSerializer)
                || dependency.serializer() != automaticKryo()
                || conf.contains("spark.kryo.registrator")
                || conf.contains("spark.kryo.classesToRegister")) {
            return false;
        }
        try {
            DependencyParts.replaceSerializer(dependency, general);
            return true;
        } catch (ReflectiveOperationException e) {
            // Found out at the start of the application, which has told.
            LOG.debug("Shuffle {} keeps Spark's Kryo serializer", dependency.shuffleId(), e);
            return false;
        }
    }

    /** Replaces the aggregator, so that tasks compute the size of combiners without Spark's estimates. */
    private static <K, V, C> void followSizes(ShuffleDependency<K, V, C> dependency) {
        if (!dependency.aggregator().isDefined() || !(dependency.serializer() instanceof PartitioningSerializer ours)) {
            return;
        }
        Aggregator<K, V, C> aggregator = dependency.aggregator().get();
        CombinerSizes.Source sizes = ours.combinerSizes();
        // Another class may combine in another way.
        if (sizes == null || aggregator.getClass() != Aggregator.class) {
            return;
        }
        try {
            DependencyParts.replaceAggregator(dependency, new SizedAggregator<>(aggregator, sizes));
        } catch (ReflectiveOperationException e) {
            // As above.
            LOG.debug("Shuffle {} keeps Spark's aggregator", dependency.shuffleId(), e);
        }
    }

    /** What Spark takes for primitives, and for nothing that anybody asked for. */
    private static @Nullable Serializer automaticKryo() {
        ClassTag<?> primitive = ClassTag$.MODULE$.Int();
        return SparkEnv.get().serializerManager().getSerializer(primitive, primitive);
    }

    @Override
    public <K, V> ShuffleWriter<K, V> getWriter(
            ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
        // Also takes note of the map task, whose files it removes one day.
        ShuffleWriter<K, V> ofSpark = super.getWriter(handle, mapId, context, metrics);
        if (!(handle instanceof GroupShuffleHandle<?, ?, ?>)) {
            return ofSpark;
        }
        @SuppressWarnings("unchecked") // Spark's writers are made in the same way.
        ShuffleDependency<K, V, ?> dependency = ((BaseShuffleHandle<K, V, ?>) handle).dependency();
        try {
            MapOutput output = new MapOutput(
                    dependency.shuffleId(),
                    mapId,
                    dependency.partitioner().numPartitions(),
                    MapOutput.Executor.of(SparkEnv.get()),
                    MapOutputComponents.of(this),
                    metrics);
            return new GroupShuffleWriter<>(dependency, context, metrics, output);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "Heapspan's shuffle manager does not work with this version of Spark, which is "
                            + org.apache.spark.package$.MODULE$.SPARK_VERSION()
                            + "; set spark.heapspan.shuffle=false, or remove "
                            + KEY,
                    e);
        }
    }
}
