package org.heapspan.benchmarks.spark.parts;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.util.io.ChunkedByteBuffer;
import org.apache.spark.util.io.ChunkedByteBufferOutputStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * What a record of a block costs that is cached in serialized form ({@code MEMORY_ONLY_SER}): through Spark's own streams, compression
 * included where it is on, on one thread. Run it with {@code ./dev bench cache}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(CachedBlockBenchmark.RECORDS)
@Fork(
        value = 3,
        jvmArgsAppend = {
            "-Xmx1g",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
        })
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class CachedBlockBenchmark {
    static final int RECORDS = 10_000;

    private static final int FEATURES = 20;
    private static final int CHUNK_BYTES = 1 << 20;
    private static final long SEED = 20_130_519;

    /** A point as classifiers learn from: an object and an array. */
    public static final class Point implements Serializable {
        private static final long serialVersionUID = 1L;

        /** On which side it is, 1 or -1. */
        final double label;

        /** Where it is. */
        final double[] features;

        Point(double label, double[] features) {
            this.label = label;
            this.features = features;
        }
    }

    /** Spark's serializer. */
    @Param({"heapspan", "kryo", "kryo-registered", "java"})
    public String serializer;

    /** Spark's {@code spark.rdd.compress}, by LZ4. */
    @Param({"true", "false"})
    public String compress;

    private final BlockId id = new RDDBlockId(1, 1);
    private final ClassTag<Point> tag = ClassTag$.MODULE$.apply(Point.class);
    private List<Point> points;
    private SerializerManager streams;
    private ChunkedByteBuffer block;

    /** Makes points and a block of them. */
    @Setup
    public void setUp() throws ReflectiveOperationException {
        SparkConf configuration = new SparkConf(false).set("spark.rdd.compress", compress);
        String name = switch (serializer) {
            case "heapspan" -> "org.heapspan.spark.HeapspanSerializer";
            case "kryo", "kryo-registered" -> "org.apache.spark.serializer.KryoSerializer";
            case "java" -> "org.apache.spark.serializer.JavaSerializer";
            default -> throw new IllegalArgumentException("no serializer '" + serializer + "'");
        };
        if (serializer.equals("kryo-registered")) {
            configuration.set("spark.kryo.referenceTracking", "false");
            configuration.set("spark.kryo.classesToRegister", Point.class.getName());
        }
        ClassLoader loader = CachedBlockBenchmark.class.getClassLoader();
        Serializer made = Class.forName(name, true, loader)
                .asSubclass(Serializer.class)
                .getConstructor(SparkConf.class)
                .newInstance(configuration);
        made.setDefaultClassLoader(loader);
        streams = new SerializerManager(made, configuration);
        streams.setDefaultClassLoader(loader);
        points = points();
        block = write();
        double expected = 0;
        for (Point point : points) {
            expected += point.label + point.features[FEATURES - 1];
        }
        double found = read();
        if (found != expected) {
            throw new IllegalStateException("the sum over the block is " + found + ", expected " + expected);
        }
    }

    /** What a record of such a block takes. */
    static double recordBytes(String serializer, boolean compressed) throws ReflectiveOperationException {
        CachedBlockBenchmark benchmark = new CachedBlockBenchmark();
        benchmark.serializer = serializer;
        benchmark.compress = String.valueOf(compressed);
        benchmark.setUp();
        return (double) benchmark.block.size() / RECORDS;
    }

    /** Mostly zeros, ones and shares in hundredths, as measurements of connections are. */
    private static List<Point> points() {
        Random random = new Random(SEED);
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            double[] features = new double[FEATURES];
            for (int j = 0; j < FEATURES; j++) {
                features[j] = switch (random.nextInt(8)) {
                    case 0 -> 1;
                    case 1 -> random.nextInt(100) / 100.0;
                    case 2 -> j < 3 ? Math.log1p(random.nextInt(10_000)) : 0;
                    default -> 0;
                };
            }
            points.add(new Point(random.nextBoolean() ? 1 : -1, features));
        }
        return points;
    }

    /** Writes the block as the memory store does. */
    @Benchmark
    public ChunkedByteBuffer write() {
        ChunkedByteBufferOutputStream target =
                new ChunkedByteBufferOutputStream(CHUNK_BYTES, size -> ByteBuffer.allocate((Integer) size));
        streams.dataSerializeStream(id, target, CollectionConverters.asScala(points.iterator()), tag);
        return target.toChunkedByteBuffer();
    }

    /** Reads it. */
    @Benchmark
    public double read() {
        double sum = 0;
        Iterator<Point> records = streams.dataDeserializeStream(id, block.toInputStream(false), tag);
        while (records.hasNext()) {
            Point point = records.next();
            sum += point.label + point.features[FEATURES - 1];
        }
        return sum;
    }
}
