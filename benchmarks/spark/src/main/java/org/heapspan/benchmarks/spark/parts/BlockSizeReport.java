package org.heapspan.benchmarks.spark.parts;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.spark.SparkNote;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The program behind {@code ./dev bench block-sizes}: bytes of shuffles with few records in each block, where what is around the records counts.
 * Map tasks of an application in this JVM write them; the bytes are those of Spark's metrics.
 */
public final class BlockSizeReport {
    /** Where its figures are published. */
    public static final Publication PUBLICATION = new Publication(
            "docs/benchmarks-spark.md",
            "block-sizes",
            "block-sizes",
            (figures, folder) -> new Rendered(
                    FigureFile.read(figures, BlockSizeFigures.class).table(), List.of()));

    private static final String HELP = """
            Compares the bytes of shuffles with few records in each block, by serializer.

              --maps=200            map tasks of a shuffle
              --reducers=250        reduce tasks of a shuffle
              --records=1,4,16      records in a block, on average
              --render              measure nothing, write the table again
              --publish             also into docs/benchmarks-spark.md

            Figures go to build/bench/block-sizes.json, the table to build/bench/block-sizes.md.
            """;

    private static final long SEED = 20_261_126;
    private static final int LARGEST_KEY = 1_000_000;
    private static final int BYTES = 10;

    /** An object of a user's class. No record, which Spark's Kryo cannot read. */
    static final class Visit implements Serializable {
        private static final long serialVersionUID = 1L;

        final int user;
        final long time;
        final String page;

        Visit(int user, long time, String page) {
            this.user = user;
            this.time = time;
            this.page = page;
        }
    }

    /** Makes a record. */
    @FunctionalInterface
    private interface Maker extends Serializable {
        Tuple2<Object, Object> make(Random random);
    }

    /** A kind of record; with the tags of an RDD of Scala, by which Spark chooses a serializer. */
    private record Kind(String title, ClassTag<?> keys, ClassTag<?> values, Maker maker) {}

    private static final ClassTag<?> INT = ClassTag$.MODULE$.Int();
    private static final ClassTag<?> STRING = ClassTag$.MODULE$.apply(String.class);

    private static final List<Kind> KINDS = List.of(
            new Kind("(Int, Int)", INT, INT, random -> new Tuple2<>(number(random), number(random))),
            new Kind(
                    "(Int, Double)",
                    INT,
                    ClassTag$.MODULE$.Double(),
                    random -> new Tuple2<>(number(random), random.nextDouble())),
            new Kind("(String, Int)", STRING, INT, random -> new Tuple2<>(word(random), 1 + random.nextInt(50))),
            new Kind("(String, String)", STRING, STRING, random -> new Tuple2<>(word(random), word(random))),
            new Kind(
                    "(Int, byte[10])",
                    INT,
                    ClassTag$.MODULE$.apply(byte[].class),
                    random -> new Tuple2<>(number(random), bytes(random))),
            new Kind(
                    "(Int, object of an int, a long and a string)",
                    INT,
                    ClassTag$.MODULE$.apply(Visit.class),
                    random -> new Tuple2<>(number(random), visit(random))));

    private static int number(Random random) {
        return random.nextInt(LARGEST_KEY);
    }

    private static String word(Random random) {
        StringBuilder word = new StringBuilder();
        for (int length = 4 + random.nextInt(8); length > 0; length--) {
            word.append((char) ('a' + random.nextInt(26)));
        }
        return word.toString();
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Visit visit(Random random) {
        return new Visit(number(random), random.nextInt(Integer.MAX_VALUE), word(random));
    }

    /** A serializer, and how it is set. */
    private record Peer(String title, Map<String, String> configuration) {}

    private static final String SERIALIZER = "spark.serializer";
    private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";

    private static final List<Peer> PEERS = List.of(
            new Peer("Heapspan", Map.of("spark.plugins", "org.heapspan.spark.HeapspanPlugin")),
            new Peer("Kryo", Map.of(SERIALIZER, KRYO)),
            new Peer(
                    "Kryo, registered, references off",
                    Map.of(
                            SERIALIZER,
                            KRYO,
                            "spark.kryo.referenceTracking",
                            "false",
                            "spark.kryo.classesToRegister",
                            Visit.class.getName())),
            new Peer("Java", Map.of(SERIALIZER, "org.apache.spark.serializer.JavaSerializer")));

    private int maps = 200;
    private int reducers = 250;
    private List<Integer> records = List.of(1, 4, 16);
    private final PublishOptions output = new PublishOptions();

    private BlockSizeReport() {}

    /** Measures and writes the table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws Exception {
        BlockSizeReport report = new BlockSizeReport();
        Arguments.read(arguments, HELP, report::takes);
        report.output.run(PUBLICATION, () -> report.measure(arguments));
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--maps" -> maps = Integer.parseInt(value);
            case "--reducers" -> reducers = Integer.parseInt(value);
            case "--records" ->
                records =
                        List.of(value.split(",")).stream().map(Integer::valueOf).toList();
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private BlockSizeFigures measure(String[] arguments) throws IOException, TimeoutException {
        BlockSizeFigures figures = new BlockSizeFigures();
        figures.run = SparkNote.beginIn(
                "bench block-sizes",
                arguments,
                List.of(Jdk.current()),
                "local, with " + maps + " map and " + reducers + " reduce tasks");
        for (Kind kind : KINDS) {
            for (int count : records) {
                BlockSizeFigures.Line line = new BlockSizeFigures.Line();
                line.record = kind.title();
                line.recordsInBlock = count;
                figures.all.add(line);
            }
        }
        for (Peer peer : PEERS) {
            measure(peer, figures);
        }
        figures.run.end();
        return figures;
    }

    private void measure(Peer peer, BlockSizeFigures figures) throws TimeoutException {
        SparkConf conf = new SparkConf(false)
                .setMaster("local[2]")
                .setAppName("block sizes")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1");
        peer.configuration().forEach(conf::set);
        LongAdder written = new LongAdder();
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            context.sc().addSparkListener(new SparkListener() {
                @Override
                public void onTaskEnd(SparkListenerTaskEnd end) {
                    written.add(end.taskMetrics().shuffleWriteMetrics().bytesWritten());
                }
            });
            int next = 0;
            for (Kind kind : KINDS) {
                for (int count : records) {
                    written.reset();
                    shuffle(context, kind, count);
                    context.sc().listenerBus().waitUntilEmpty();
                    double bytes = (double) written.sum() / maps / reducers;
                    figures.all.get(next++).bytes.put(peer.title(), bytes);
                    System.out.printf("%s, %s, %d records: %.1f bytes%n", peer.title(), kind.title(), count, bytes);
                }
            }
        }
    }

    /** Writes a whole shuffle, and reads the blocks of the first reducer to see that they can be read. */
    @SuppressWarnings("unchecked")
    private void shuffle(JavaSparkContext context, Kind kind, int count) {
        int recordsOfMap = reducers * count;
        Maker maker = kind.maker();
        JavaRDD<Tuple2<Object, Object>> pairs = context.parallelize(
                        IntStream.range(0, maps).boxed().toList(), maps)
                .flatMap(map -> {
                    Random random = new Random(SEED + map);
                    List<Tuple2<Object, Object>> made = new ArrayList<>();
                    for (int i = 0; i < recordsOfMap; i++) {
                        made.add(maker.make(random));
                    }
                    return made.iterator();
                });
        ShuffledRDD<Object, Object, Object> shuffled = new ShuffledRDD<>(
                pairs.rdd(),
                new HashPartitioner(reducers),
                (ClassTag<Object>) kind.keys(),
                (ClassTag<Object>) kind.values(),
                (ClassTag<Object>) kind.values());
        int arrived = shuffled.toJavaRDD().collectPartitions(new int[] {0})[0].size();
        if (arrived == 0) {
            throw new IllegalStateException("the first reducer got no records");
        }
    }
}
