package org.heapspan.benchmarks.spark;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Where cached partitions lie: a storage level of Spark, with what a user sets for it. Each job is the same program for all. */
enum CacheLevel implements Contender {
    /** The second heap: the plug-in and a folder; the program persists at Spark's default level. */
    HEAPSPAN("second heap (MEMORY_ONLY)", "MEMORY_ONLY", Map.of("spark.plugins", CacheLevel.PLUGIN)),

    /** The same with nothing else of Heapspan: shuffles and task results go by Kryo as with the others. */
    HEAPSPAN_CACHE_ONLY(
            "second heap, Kryo for the rest",
            "MEMORY_ONLY",
            Map.of(
                    "spark.plugins",
                    CacheLevel.PLUGIN,
                    "spark.heapspan.serializer",
                    "false",
                    "spark.heapspan.shuffle",
                    "false",
                    "spark.serializer",
                    CacheLevel.KRYO)),

    /** The rest of Heapspan alone: its serializer and shuffle with Spark's own cache of objects. What the second heap gains is the difference. */
    HEAPSPAN_NO_CACHE(
            "MEMORY_AND_DISK, Heapspan",
            "MEMORY_AND_DISK",
            Map.of("spark.plugins", CacheLevel.PLUGIN, "spark.heapspan.h2", "false")),

    /**
     * The second heap with its default for Datasets: Spark's own store keeps them, at the level that {@code Dataset.cache()} has. Only of
     * jobs that cache a Dataset.
     */
    HEAPSPAN_SPARK_DATASETS(
            "second heap, Datasets left to Spark (default)",
            "MEMORY_AND_DISK",
            Map.of("spark.plugins", CacheLevel.PLUGIN)),

    /** Bytes by Heapspan's serializer in Spark's own store, without the second heap. */
    HEAPSPAN_SERIALIZED(
            "MEMORY_AND_DISK_SER, Heapspan",
            "MEMORY_AND_DISK_SER",
            Map.of("spark.plugins", CacheLevel.PLUGIN, "spark.heapspan.h2", "false")),

    /** Spark-SD of TeraHeap section 6: on the heap what fits, the rest serialized on disk. */
    MEMORY_AND_DISK_KRYO("MEMORY_AND_DISK, Kryo", "MEMORY_AND_DISK", Map.of("spark.serializer", CacheLevel.KRYO)),

    /** The same as Spark does it by default. */
    MEMORY_AND_DISK_JAVA(
            "MEMORY_AND_DISK, Java",
            "MEMORY_AND_DISK",
            Map.of("spark.serializer", "org.apache.spark.serializer.JavaSerializer")),

    /** Serialized off the heap, as much again as there is heap, the rest on disk. */
    OFF_HEAP_KRYO("OFF_HEAP, Kryo", "OFF_HEAP", Map.of("spark.serializer", CacheLevel.KRYO)),

    /** Serialized on disk. */
    DISK_ONLY_KRYO("DISK_ONLY, Kryo", "DISK_ONLY", Map.of("spark.serializer", CacheLevel.KRYO)),

    /** Serialized on the heap; what does not fit is computed again. */
    MEMORY_ONLY_SER_KRYO("MEMORY_ONLY_SER, Kryo", "MEMORY_ONLY_SER", Map.of("spark.serializer", CacheLevel.KRYO)),

    /** Objects on the heap; what does not fit is computed again. */
    MEMORY_ONLY_KRYO("MEMORY_ONLY, Kryo", "MEMORY_ONLY", Map.of("spark.serializer", CacheLevel.KRYO)),

    /** The same with so much heap that more of it fits. */
    MEMORY_ONLY_LARGE(
            "MEMORY_ONLY, Kryo, 4 times the heap", "MEMORY_ONLY", Map.of("spark.serializer", CacheLevel.KRYO));

    private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";
    private static final String PLUGIN = "org.heapspan.spark.HeapspanPlugin";
    private static final int LARGE = 4;

    private final String title;
    private final String level;

    @SuppressWarnings("ImmutableEnumChecker") // Map.of makes what cannot be changed.
    private final Map<String, String> configuration;

    CacheLevel(String title, String level, Map<String, String> configuration) {
        this.title = title;
        this.level = level;
        this.configuration = configuration;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Map<String, String> configuration(Path folder, int heapMegabytes) {
        Map<String, String> all = new TreeMap<>(configuration);
        SecondHeapFigures.configure(all, folder);
        if (isHeapspan()) {
            all.put("spark.heapspan.h2.dir", folder.resolve("second-heap").toString());
            // Else Spark keeps Datasets, which one level alone measures.
            all.put("spark.heapspan.h2.datasets", String.valueOf(this != HEAPSPAN_SPARK_DATASETS));
        }
        if (this == OFF_HEAP_KRYO) {
            all.put("spark.memory.offHeap.enabled", "true");
            all.put("spark.memory.offHeap.size", heapMegabytes + "m");
        }
        return all;
    }

    @Override
    public List<String> arguments() {
        return List.of(level);
    }

    /** Those that are measured if nobody says which: all that Spark's users choose between, and each part of Heapspan alone. */
    static List<CacheLevel> byDefault() {
        return Stream.of(values()).filter(level -> level != HEAPSPAN_SERIALIZED).toList();
    }

    @Override
    public int heapFactor() {
        return this == MEMORY_ONLY_LARGE ? LARGE : 1;
    }
}
