package org.heapspan.tests.spark.jobs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Two executors write blocks of numbers, strings and arrays, and each reads those of both: {@code results}. */
public final class PlainBlocksApplication {
    private static final int PARTITIONS = 8;
    private static final int MOST_ATTEMPTS = 30;

    private PlainBlocksApplication() {}

    public static void main(String[] arguments) {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            results.put("serializers of blocks", serializers(context));
            Map<String, StorageLevel> levels =
                    Map.of("memory", StorageLevel.MEMORY_ONLY_SER(), "disk", StorageLevel.DISK_ONLY());
            levels.forEach((name, level) -> {
                check(context, results, level, name + ", numbers", numbers(), ClassTag$.MODULE$.Int());
                check(context, results, level, name + ", strings", strings(), ClassTag$.MODULE$.apply(String.class));
                check(context, results, level, name + ", arrays", arrays(), ClassTag$.MODULE$.apply(long[].class));
            });
        }
        results.write(arguments[0]);
    }

    private static List<Integer> numbers() {
        return IntStream.range(0, 20_000).map(i -> i * 31).boxed().toList();
    }

    private static List<String> strings() {
        return IntStream.range(0, 20_000).mapToObj(i -> "text " + i).toList();
    }

    private static List<long[]> arrays() {
        return IntStream.range(0, 400)
                .mapToObj(i -> LongStream.range(0, i).toArray())
                .toList();
    }

    private static Set<String> serializers(JavaSparkContext context) {
        return new TreeSet<>(context.parallelize(numbers(), PARTITIONS)
                .mapPartitions(any -> {
                    Thread.sleep(200); // so that no executor does it all
                    SparkEnv environment = SparkEnv.get();
                    String name = environment
                            .serializerManager()
                            .getSerializer(ClassTag$.MODULE$.Int(), true)
                            .getClass()
                            .getSimpleName();
                    return List.of(environment.executorId() + " " + name).iterator();
                })
                .collect());
    }

    private static void check(
            JavaSparkContext context,
            Results results,
            StorageLevel level,
            String name,
            List<?> values,
            ClassTag<?> anyTag) {
        @SuppressWarnings("unchecked") // Spark's methods need a type, whichever.
        ClassTag<Object> tag = (ClassTag<Object>) anyTag;
        RDD<Object> cached = context.sc()
                .parallelize(
                        CollectionConverters.asScala(new ArrayList<Object>(values))
                                .toSeq(),
                        PARTITIONS,
                        tag)
                .persist(level);
        cached.count();
        results.put(name + ", blocks", places(cached));
        String expected = digest(values);
        JavaRDD<Object> whole = cached.toJavaRDD().coalesce(1);
        Map<String, String> found = new TreeMap<>();
        for (int i = 0; i < MOST_ATTEMPTS && found.size() < 2; i++) {
            whole.union(whole)
                    .mapPartitions(all -> {
                        List<Object> read = new ArrayList<>();
                        all.forEachRemaining(read::add);
                        Thread.sleep(200);
                        return List.of(Map.entry(SparkEnv.get().executorId(), digest(read)))
                                .iterator();
                    })
                    .collect()
                    .forEach(read -> found.put(read.getKey(), read.getValue().equals(expected) ? "right" : "wrong"));
        }
        results.put(name + ", read", found);
        cached.unpersist(true);
    }

    /** The executors that have blocks. */
    private static Set<String> places(RDD<?> cached) {
        Set<String> executors = new TreeSet<>();
        for (int i = 0; i < PARTITIONS; i++) {
            SparkEnv.get()
                    .blockManager()
                    .master()
                    .getLocations(new RDDBlockId(cached.id(), i))
                    .foreach(place -> executors.add(place.executorId()));
        }
        return executors;
    }

    private static String digest(List<?> values) {
        return Results.digest(values.stream()
                .map(value -> Arrays.deepToString(new Object[] {value}))
                .toList());
    }
}
