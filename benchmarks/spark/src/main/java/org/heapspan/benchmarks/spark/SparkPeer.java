package org.heapspan.benchmarks.spark;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How Spark's objects travel. Each is set as its users would set it. */
enum SparkPeer implements Contender {
    /** Spark's default. */
    JAVA("Java", Map.of("spark.serializer", "org.apache.spark.serializer.JavaSerializer")),

    /** What Spark's tuning guide recommends, with its defaults. */
    KRYO("Kryo", Map.of("spark.serializer", SparkPeer.KRYO_SERIALIZER)),

    /** The same at its best: classes registered by hand, identity given up. */
    KRYO_REGISTERED(
            "Kryo, registered, references off",
            Map.of(
                    "spark.serializer",
                    SparkPeer.KRYO_SERIALIZER,
                    "spark.kryo.referenceTracking",
                    "false",
                    "spark.kryo.classesToRegister",
                    Registration.withKryo())),

    /** Apache Fory with the identity of objects. */
    FORY("Fory", Map.of("spark.serializer", SparkPeer.FORY_SERIALIZER, "spark.benchmark.fory.references", "true")),

    /** The same with classes registered by hand. */
    FORY_REGISTERED_REFERENCES(
            "Fory, registered",
            Map.of(
                    "spark.serializer",
                    SparkPeer.FORY_SERIALIZER,
                    "spark.benchmark.fory.references",
                    "true",
                    "spark.benchmark.fory.classes",
                    Registration.withFory())),

    /** Apache Fory at its best: classes registered by hand, identity given up. */
    FORY_REGISTERED(
            "Fory, registered, references off",
            Map.of(
                    "spark.serializer",
                    SparkPeer.FORY_SERIALIZER,
                    "spark.benchmark.fory.references",
                    "false",
                    "spark.benchmark.fory.classes",
                    Registration.withFory())),

    /** The two lines of docs/spark.md. */
    HEAPSPAN("Heapspan", Map.of("spark.plugins", SparkPeer.PLUGIN)),

    /** The same with raw images. */
    HEAPSPAN_RAW("Heapspan, raw", Map.of("spark.plugins", SparkPeer.PLUGIN, "spark.heapspan.encoding", "raw")),

    /** Heapspan with numbers in the place of keys that come again. */
    HEAPSPAN_KEYS(
            "Heapspan, numbers for keys",
            Map.of("spark.plugins", SparkPeer.PLUGIN, "spark.heapspan.repeatedKeys", "64m")),

    /** Heapspan without its size estimator, whose answers Spark's own search gives. */
    HEAPSPAN_SPARKS_ESTIMATOR(
            "Heapspan, Spark's size estimator",
            Map.of("spark.plugins", SparkPeer.PLUGIN, "spark.heapspan.sizeEstimator", "false")),

    /** Heapspan without its sizes of combiners, which Spark then estimates. */
    HEAPSPAN_SPARKS_COMBINERS(
            "Heapspan, Spark's sizes of combiners",
            Map.of("spark.plugins", SparkPeer.PLUGIN, "spark.heapspan.combinerSizes", "false")),

    /** Heapspan with neither. */
    HEAPSPAN_SPARKS_SIZES(
            "Heapspan, neither",
            Map.of(
                    "spark.plugins",
                    SparkPeer.PLUGIN,
                    "spark.heapspan.sizeEstimator",
                    "false",
                    "spark.heapspan.combinerSizes",
                    "false")),

    /** Spark's serializer and shuffle manager, with Heapspan's size estimator. */
    KRYO_WITH_ESTIMATOR(
            "Kryo, Heapspan's size estimator",
            Map.of(
                    "spark.serializer",
                    SparkPeer.KRYO_SERIALIZER,
                    "spark.plugins",
                    SparkPeer.PLUGIN,
                    "spark.heapspan.serializer",
                    "false",
                    "spark.heapspan.shuffle",
                    "false",
                    "spark.heapspan.broadcast",
                    "false")),

    /** Heapspan's serializer without its shuffle manager. */
    HEAPSPAN_SERIALIZER(
            "Heapspan, serializer only", Map.of("spark.serializer", "org.heapspan.spark.HeapspanSerializer")),

    /** No serialization at all, to see how much there is to be won; works with one executor only, and only for what is read once or twice. */
    HAND_OVER(
            "objects handed over",
            Map.of(
                    "spark.serializer",
                    "org.heapspan.benchmarks.spark.HandOverSerializer",
                    "spark.master",
                    "local-cluster[1,2,6144]",
                    "spark.executor.memory",
                    "6g",
                    "spark.executor.instances",
                    "1"));

    private static final String KRYO_SERIALIZER = "org.apache.spark.serializer.KryoSerializer";
    private static final String FORY_SERIALIZER = "org.heapspan.benchmarks.spark.ForySerializer";
    private static final String PLUGIN = "org.heapspan.spark.HeapspanPlugin";

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // Map.of makes what cannot be changed.
    private final Map<String, String> configuration;

    SparkPeer(String title, Map<String, String> configuration) {
        this.title = title;
        this.configuration = configuration;
    }

    /** Those that are measured if nobody says which. */
    static List<SparkPeer> byDefault() {
        return List.of(JAVA, KRYO, KRYO_REGISTERED, FORY, FORY_REGISTERED_REFERENCES, FORY_REGISTERED, HEAPSPAN);
    }

    /** Those that tell what numbers for keys gain. */
    static List<SparkPeer> forKeys() {
        return List.of(KRYO, HEAPSPAN, HEAPSPAN_KEYS);
    }

    /** Those that tell what sizes of groups cost. */
    static List<SparkPeer> forGroups() {
        return List.of(
                KRYO,
                KRYO_REGISTERED,
                KRYO_WITH_ESTIMATOR,
                HEAPSPAN,
                HEAPSPAN_SPARKS_ESTIMATOR,
                HEAPSPAN_SPARKS_COMBINERS,
                HEAPSPAN_SPARKS_SIZES);
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Map<String, String> configuration(Path folder, int heapMegabytes) {
        return new TreeMap<>(configuration);
    }
}
