package org.heapspan.tests.spark.jobs;

import com.codahale.metrics.Gauge;
import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.graphx.Graph;
import org.apache.spark.graphx.VertexRDD;
import org.apache.spark.metrics.source.Source;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import scala.Option;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.runtime.AbstractFunction1;

/** Caches in all ways and tells what is then where: {@code results folder}. */
public final class CacheApplication {
    private static final int EVENTS = 20_000;
    private static final int PARTITIONS = 4;

    /** Less than the cached events take in any form, and more than the broadcasts of a job. */
    private static final int SIZE_BYTES = 256 << 10;

    private final JavaSparkContext context;
    private final Results results;

    private CacheApplication(JavaSparkContext context, Results results) {
        this.context = context;
        this.results = results;
    }

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            new CacheApplication(context, results).run(Path.of(arguments[1]));
        }
        results.write(arguments[0]);
    }

    private void run(Path folder) throws Exception {
        Executors.atWork(context);
        results.put(
                "stores", new TreeSet<>(onEachExecutor().map(any -> storeName()).collect()));
        Map<String, StorageLevel> levels = new TreeMap<>(Map.of(
                "MEMORY_ONLY", StorageLevel.MEMORY_ONLY(),
                "MEMORY_ONLY_2", StorageLevel.MEMORY_ONLY_2(),
                "MEMORY_AND_DISK", StorageLevel.MEMORY_AND_DISK(),
                "MEMORY_ONLY_SER", StorageLevel.MEMORY_ONLY_SER(),
                "DISK_ONLY", StorageLevel.DISK_ONLY()));
        for (Map.Entry<String, StorageLevel> level : levels.entrySet()) {
            cached(level.getKey(), level.getValue());
        }
        what("unpersisted", "h2HeldBytes");
        several();
        dataset();
        graph();
        takenInPart();
        refused();
        failing();
        survivor(folder);
    }

    private JavaRDD<Event> events() {
        return context.parallelize(IntStream.range(0, EVENTS).boxed().toList(), PARTITIONS)
                .map(Event::number);
    }

    private void cached(String name, StorageLevel level) {
        JavaRDD<Event> events = events().persist(level);
        results.putAll(name, events.collect());
        what(name, "h2Partitions");
        results.putAll(name + " again", events.collect());
        results.put(name + " in Spark's memory", sparksMemory() > SIZE_BYTES);
        RDDInfo info = info(events);
        results.put(name + " partitions in the web UI", info.numCachedPartitions());
        results.put(name + " has a size there", info.memSize() + info.diskSize() > SIZE_BYTES);
        events.unpersist(true);
    }

    /** A reader who stops early leaves nothing behind that would keep the partition. */
    private void takenInPart() {
        JavaRDD<Event> events = events().persist(StorageLevel.MEMORY_ONLY());
        events.count();
        results.putAll("taken", events.take(10));
        events.unpersist(true);
        what("taken, unpersisted", "h2Partitions");
    }

    /** Where there is no room for two, the one that was used the longest ago goes. */
    private void several() {
        JavaRDD<Event> first = events().persist(StorageLevel.MEMORY_ONLY());
        first.count();
        JavaRDD<Event> second = events().persist(StorageLevel.MEMORY_ONLY());
        results.putAll("second", second.collect());
        results.put("first, partitions beside the second", cachedPartitions(first));
        results.put("second, partitions", cachedPartitions(second));
        results.putAll("first", first.collect());
        results.putAll("second again", second.collect());
        first.unpersist(true);
        second.unpersist(true);
        what("both unpersisted", "h2HeldBytes");
    }

    private RDDInfo info(JavaRDD<?> cached) {
        return infos(cached).findFirst().orElseThrow();
    }

    /** Spark knows nothing of an RDD of which nothing is cached. */
    private int cachedPartitions(JavaRDD<?> cached) {
        return infos(cached).mapToInt(RDDInfo::numCachedPartitions).sum();
    }

    private Stream<RDDInfo> infos(JavaRDD<?> cached) {
        return Stream.of(context.sc().getRDDStorageInfo()).filter(info -> info.id() == cached.id());
    }

    private void dataset() {
        SparkSession session = SparkSession.builder().sparkContext(context.sc()).getOrCreate();
        Dataset<?> rows = session.range(0, 200_000, 1, PARTITIONS)
                .withColumn(
                        "name",
                        functions.concat(
                                functions.lit("name "), functions.col("id").mod(1000)))
                .withColumn("half", functions.col("id").divide(2.0))
                .cache();
        results.put("dataset", rows.count());
        what("dataset", "h2Partitions");
        results.put(
                "dataset again",
                rows.groupBy("name")
                        .agg(functions.sum("half").as("sum"))
                        .orderBy("name")
                        .limit(3)
                        .collectAsList());
        rows.unpersist(true);
        what("dataset unpersisted", "h2HeldBytes");
    }

    /** Partitions that were made one of the other have one index, by which GraphX joins them quickly. */
    private void graph() {
        JavaRDD<Tuple2<Object, Object>> edges = context.parallelize(
                        IntStream.range(0, 2 * EVENTS).boxed().toList(), PARTITIONS)
                .map(i -> new Tuple2<>((long) i % EVENTS, (i * 7L + 3) % EVENTS));
        Graph<Integer, Object> graph = Graph.fromEdgeTuples(
                edges.rdd(),
                1,
                Option.empty(),
                StorageLevel.MEMORY_ONLY(),
                StorageLevel.MEMORY_ONLY(),
                ClassTag.apply(Integer.class));
        graph.cache();
        VertexRDD<Integer> vertices = graph.vertices();
        results.put("graph", vertices.count());
        VertexRDD<Integer> doubled = vertices.mapValues(new Doubling(), ClassTag.apply(Integer.class));
        doubled.cache();
        results.put("graph, doubled", doubled.count());
        what("graph", "h2Partitions");
        results.put(
                "graph, partitions that share their index",
                vertices.partitionsRDD()
                        .toJavaRDD()
                        .zipPartitions(
                                doubled.partitionsRDD().toJavaRDD(),
                                (first, second) -> List.of(first.next().index()
                                                == second.next().index())
                                        .iterator())
                        .filter(same -> same)
                        .count());
        results.put(
                "graph, sum",
                doubled.toJavaRDD()
                        .map(vertex -> vertex._2() + (long) vertex._1())
                        .reduce(Long::sum));
        doubled.unpersist(true);
        graph.unpersist(true);
        what("graph unpersisted", "h2HeldBytes");
    }

    private static final class Doubling extends AbstractFunction1<Integer, Integer> implements Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public Integer apply(Integer value) {
            return 2 * value;
        }
    }

    /** No image can be made of a thread; on the heap it can be cached. */
    private void refused() {
        JavaRDD<Worker> workers = context.parallelize(List.of(1, 2, 3, 4, 5, 6), 2)
                .map(Worker::new)
                .persist(StorageLevel.MEMORY_ONLY());
        results.put("refused", workers.map(Worker::name).collect());
        results.put("refused again", workers.map(Worker::name).collect());
        what("refused", "h2Partitions");
        what("refused", "h2Declined");
        workers.unpersist(true);

        JavaRDD<Supplier<String>> made = context.parallelize(List.of(1, 2), 2)
                .map(CacheApplication::ofALoaderThatNobodyKnows)
                .persist(StorageLevel.MEMORY_ONLY());
        results.put("of another loader", made.map(Supplier::get).collect());
        results.put("of another loader again", made.map(Supplier::get).collect());
        what("of another loader", "h2Declined");
        made.unpersist(true);

        JavaRDD<Tuple2<Integer, Object>> pairs = context.parallelize(
                        IntStream.range(0, EVENTS).boxed().toList(), PARTITIONS)
                .map(CacheApplication::pairWithAVersionThatNobodyKnows)
                .persist(StorageLevel.MEMORY_ONLY());
        List<String> expected = IntStream.range(0, EVENTS)
                .mapToObj(number -> "(" + number + "," + (hasVersion(number) ? "version of " : "event ") + number + ")")
                .toList();
        results.put("within records", pairs.map(Tuple2::toString).collect().equals(expected));
        results.put(
                "within records again", pairs.map(Tuple2::toString).collect().equals(expected));
        results.put(
                "within records, other classes",
                pairs.filter(CacheApplication::isVersion).count());
        what("within records", "h2Declined");
        pairs.unpersist(true);
    }

    @SuppressWarnings("unchecked")
    private static Supplier<String> ofALoaderThatNobodyKnows(int number) {
        ClassLoader loader =
                new URLClassLoader(new URL[0], Thread.currentThread().getContextClassLoader());
        return (Supplier<String>) Proxy.newProxyInstance(
                loader, new Class<?>[] {Supplier.class}, (proxy, method, arguments) -> "made " + number);
    }

    /** One record of each partition holds an object of a class whose name leads to another class. */
    private static Tuple2<Integer, Object> pairWithAVersionThatNobodyKnows(int number) {
        return new Tuple2<>(number, hasVersion(number) ? version(number) : "event " + number);
    }

    private static boolean hasVersion(int number) {
        return number % (EVENTS / PARTITIONS) == 3_000;
    }

    private static Object version(int number) {
        try {
            return new VersionLoader().version().getConstructor(int.class).newInstance(number);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isVersion(Tuple2<Integer, Object> pair) {
        return !(pair._2() instanceof String) && pair._2().getClass() != Version.class;
    }

    private record Worker(int number, Thread thread) {
        Worker(int number) {
            this(number, number % 3 == 0 ? new Thread("thread of " + number) : Thread.currentThread());
        }

        String name() {
            return number + (number % 3 == 0 ? " has " + thread.getName() : "");
        }
    }

    private void failing() throws InterruptedException {
        JavaRDD<Event> events = events().map(event -> {
                    if (event.id() == 7_777) {
                        throw new IllegalStateException("event 7777 is not to be had");
                    }
                    return event;
                })
                .persist(StorageLevel.MEMORY_ONLY());
        try {
            results.put("failing", events.count());
        } catch (Exception e) {
            results.put("failing", String.valueOf(e.getMessage()).contains("event 7777 is not to be had"));
        }
        // Else a task of the job could store a partition after that.
        Executors.awaitIdle(context);
        events.unpersist(true);
        what("failing, unpersisted", "h2HeldBytes");
    }

    /** An executor dies with what it has cached. */
    private void survivor(Path folder) {
        String marker = folder.resolve("died").toString();
        JavaRDD<Event> events = events().persist(StorageLevel.MEMORY_ONLY());
        events.count();
        results.putAll(
                "survived",
                events.map(event -> {
                            if (event.id() == EVENTS - 100) {
                                DyingExecutors.dieOnce(marker, "KILL");
                            }
                            return event;
                        })
                        .collect());
        results.putAll("survived again", events.collect());
    }

    private JavaRDD<Integer> onEachExecutor() {
        return context.parallelize(IntStream.range(0, 8).boxed().toList(), 8).map(any -> {
            Thread.sleep(100); // so that no executor does it all
            return any;
        });
    }

    private static String storeName() {
        return SparkEnv.get().blockManager().memoryStore().getClass().getSimpleName();
    }

    /** Tells the sum of a metric over the executors. */
    private void what(String name, String metric) {
        Map<String, Long> byExecutor = new TreeMap<>();
        onEachExecutor()
                .map(any -> new Amount(SparkEnv.get().executorId(), metric(metric)))
                .collect()
                .forEach(amount -> byExecutor.put(amount.executor, amount.value));
        results.put(
                name + ", " + metric,
                byExecutor.values().stream().mapToLong(Long::longValue).sum());
    }

    private record Amount(String executor, long value) implements Serializable {}

    /** A metric of the plug-in in this JVM, or 0 without it. */
    private static long metric(String name) {
        for (Source source : CollectionConverters.asJava(
                SparkEnv.get().metricsSystem().getSourcesByName("plugin.org.heapspan.spark.HeapspanPlugin"))) {
            Gauge<?> gauge = source.metricRegistry().getGauges().get(name);
            if (gauge != null) {
                return ((Number) gauge.getValue()).longValue();
            }
        }
        return 0;
    }

    private long sparksMemory() {
        Map<String, Long> byExecutor = new TreeMap<>();
        onEachExecutor()
                .map(any -> new Amount(
                        SparkEnv.get().executorId(),
                        SparkEnv.get().memoryManager().storageMemoryUsed()))
                .collect()
                .forEach(amount -> byExecutor.put(amount.executor, amount.value));
        return byExecutor.values().stream().mapToLong(Long::longValue).sum();
    }
}
