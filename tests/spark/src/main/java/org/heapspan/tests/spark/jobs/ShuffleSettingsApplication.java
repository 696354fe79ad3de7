package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import scala.Tuple2;

/**
 * Runs the same shuffles under many settings, each in an application of its own in this JVM: {@code results}. The first one is Spark as it is, with
 * Java serialization, with which the others are compared.
 */
public final class ShuffleSettingsApplication {
    private static final String SPILL = "spark.shuffle.spill.numElementsForceSpillThreshold";

    /** With other settings a few shuffles are enough. */
    private static final Set<String> FEW_KEYS = Set.of("spark.plugins", "spark.heapspan.encoding");

    private final Results results = new Results();
    private Map<String, String> expected = Map.of();

    private ShuffleSettingsApplication() {}

    public static void main(String[] arguments) throws IOException {
        ShuffleSettingsApplication application = new ShuffleSettingsApplication();
        application.run();
        application.results.write(arguments[0]);
    }

    private void run() throws IOException {
        check("stock", Map.of("spark.plugins", ""));
        check("defaults", Map.of());
        check("raw", Map.of("spark.heapspan.encoding", "raw"));
        check("small groups", Map.of("spark.heapspan.groupBytes", "1k", SPILL, "300"));
        for (String codec : List.of("lz4", "zstd", "lzf", "snappy")) {
            check("spills, " + codec, Map.of(SPILL, "500", "spark.io.compression.codec", codec));
        }
        check(
                "spills by size",
                Map.of(
                        "spark.shuffle.spill.maxSizeInBytesForSpillThreshold",
                        "60000",
                        "spark.shuffle.checksum.algorithm",
                        "CRC32C"));
        check("uncompressed", Map.of("spark.shuffle.compress", "false"));
        check("spills, uncompressed", Map.of(SPILL, "500", "spark.shuffle.compress", "false"));
        check("encrypted", Map.of("spark.io.encryption.enabled", "true"));
        check("spills, encrypted", Map.of(SPILL, "500", "spark.io.encryption.enabled", "true"));
        check(
                "spills, encrypted, uncompressed, no checksums",
                Map.of(
                        SPILL,
                        "500",
                        "spark.io.encryption.enabled",
                        "true",
                        "spark.shuffle.compress",
                        "false",
                        "spark.shuffle.checksum.enabled",
                        "false"));
        for (String key : List.of("spark.kryo.classesToRegister", "spark.kryo.registrator")) {
            try (JavaSparkContext context = context(Map.of(key, Event.class.getName()))) {
                results.put(key + ": serializer that stays", new ShuffleChecks(context).serializerOfNumbers());
            }
        }
        checkMemory();
        checkDamage("damage", Map.of());
        checkDamage("damage, uncompressed", Map.of("spark.shuffle.compress", "false"));
    }

    private JavaSparkContext context(Map<String, String> settings) {
        SparkConf conf = new SparkConf();
        settings.forEach(conf::set);
        return new JavaSparkContext(conf);
    }

    private void check(String name, Map<String, String> settings) throws IOException {
        ShuffleTotals totals = new ShuffleTotals();
        try (JavaSparkContext context = context(settings)) {
            context.sc().addSparkListener(totals);
            Map<String, String> found = new TreeMap<>();
            if (settings.keySet().stream().allMatch(FEW_KEYS::contains)) {
                found.putAll(new ShuffleChecks(context).all());
                results.put(name + ": serializer of pairs of numbers", found.remove("serializer of pairs of numbers"));
                found.put("frames", frames(context));
            } else {
                found.putAll(new ShuffleChecks(context).few());
            }
            if (expected.isEmpty()) {
                expected = found;
                results.put(name + ": results", found.size());
            } else {
                found.keySet().removeIf(key -> found.get(key).equals(expected.get(key)));
                results.put(name + ": results that differ", found);
            }
            results.put(name + ": files left", temporaryFiles());
        }
        // The listener has heard of all tasks when the application has ended.
        results.put(name + ": metrics", totals.balance());
        results.put(name + ": spilled", totals.spilled());
        results.put(name + ": peak memory", totals.peakMemoryBytes() > 0);
    }

    /** Adaptive execution reads parts of shuffles: several partitions together, and partitions that are too large in pieces. */
    private static String frames(JavaSparkContext context) {
        SparkSession session = SparkSession.builder()
                .sparkContext(context.sc())
                .config("spark.sql.adaptive.enabled", "true")
                .config("spark.sql.shuffle.partitions", "10")
                .config("spark.sql.autoBroadcastJoinThreshold", "-1")
                .config("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "1k")
                .config("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "1.1")
                .config("spark.sql.adaptive.advisoryPartitionSizeInBytes", "2k")
                .getOrCreate();
        Dataset<Row> numbers = session.range(0, 20_000)
                .withColumn("key", functions.expr("if(id % 3 = 0, 1, id % 50)"))
                .withColumn("text", functions.expr("concat('text ', id)"));
        Dataset<Row> names = session.range(0, 50).withColumn("name", functions.expr("concat('name ', id)"));
        Dataset<Row> joined = numbers.repartition(4)
                .join(names, numbers.col("key").equalTo(names.col("id")))
                .groupBy("name")
                .agg(functions.count("*"), functions.max("text"));
        return Results.digest(joined.collectAsList());
    }

    /** More records than there is memory for. */
    private void checkMemory() throws IOException {
        ShuffleTotals totals = new ShuffleTotals();
        Map<String, String> settings =
                Map.of("spark.testing.memory", String.valueOf(24 << 20), "spark.testing.reservedMemory", "0");
        try (JavaSparkContext context = context(settings)) {
            context.sc().addSparkListener(totals);
            long sum = context.parallelize(IntStream.range(0, 100_000).boxed().toList(), 2)
                    .mapToPair(n -> new Tuple2<>(n, "value of number " + n + " " + "x".repeat(n % 600)))
                    .partitionBy(new HashPartitioner(40))
                    .map(pair -> pair._2().startsWith("value of number " + pair._1() + " ")
                            ? (long) pair._2().length()
                            : Long.MIN_VALUE)
                    .reduce(Long::sum);
            results.put(
                    "memory: as expected",
                    sum
                            == IntStream.range(0, 100_000)
                                    .mapToLong(n -> ("value of number " + n + " ").length() + n % 600)
                                    .sum());
            results.put("memory: files left", temporaryFiles());
        }
        results.put("memory: metrics", totals.balance());
        results.put("memory: spilled", totals.spilled());
    }

    /** A bit of a shuffle file changes after it was written. */
    private void checkDamage(String name, Map<String, String> settings) throws IOException {
        try (JavaSparkContext context = context(settings)) {
            JavaPairRDD<Integer, Event> shuffled = context.parallelize(
                            IntStream.range(0, 2000).boxed().toList(), 2)
                    .mapToPair(n -> new Tuple2<>(n, Event.number(n)))
                    .partitionBy(new HashPartitioner(3));
            String before = Results.digest(shuffled.collect());
            flipBit();
            try {
                String after = Results.digest(shuffled.collect());
                results.put(name, after.equals(before) ? "right" : "wrong");
            } catch (Exception e) {
                if (!(e instanceof SparkException)) {
                    throw e;
                }
                results.put(name, "failed: " + e.getMessage());
            }
        }
    }

    private static void flipBit() throws IOException {
        Path data = files().filter(file -> file.toString().endsWith(".data"))
                .findFirst()
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 4;
        Files.write(data, bytes);
    }

    /** All but what shuffles are to leave, of which there must be something. */
    private static List<String> temporaryFiles() throws IOException {
        List<String> names = files().map(file -> file.getFileName().toString()).toList();
        if (names.stream().noneMatch(name -> name.endsWith(".data"))) {
            throw new IllegalStateException("no shuffle file is where they are looked for: " + names);
        }
        return names.stream().filter(name -> name.startsWith("temp_")).toList();
    }

    /** The files of this application; those of the ones before it are gone. */
    private static Stream<Path> files() throws IOException {
        return LocalFiles.below(Path.of(System.getenv("SPARK_LOCAL_DIRS"))).stream();
    }
}
