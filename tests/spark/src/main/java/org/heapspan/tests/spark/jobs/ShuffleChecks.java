package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.PairRDDFunctions;
import org.apache.spark.rdd.RDD;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/** Shuffles of every kind, small; what they find does not depend on how they are done. */
final class ShuffleChecks {
    private static final int EVENTS = 3000;
    private static final ClassTag<Integer> INTS = tag(ClassTag$.MODULE$.Int());

    private final JavaRDD<Event> events;
    private final JavaRDD<Integer> numbers;
    private final Map<String, String> found = new TreeMap<>();

    ShuffleChecks(JavaSparkContext context) {
        numbers = context.parallelize(IntStream.range(0, EVENTS).boxed().toList(), 2);
        events = numbers.map(Event::number);
    }

    /** What a few of them found, by the name of the shuffle. */
    Map<String, String> few() {
        JavaPairRDD<Event.User, Event> byOwner = byOwner();
        put("reduce", totals(byOwner, 3));
        // Many to write for, few tasks to read them.
        put(
                "to 2000 partitions",
                byOwner.partitionBy(new HashPartitioner(2000)).coalesce(2).collect());
        put("pairs of numbers", pairs(pairsOfNumbers(), INTS, INTS).partitionBy(new HashPartitioner(3)));
        return found;
    }

    /** What all of them found. */
    Map<String, String> all() {
        few();
        ofObjects();
        ofNumbersAndStrings();
        return found;
    }

    private JavaPairRDD<Event.User, Event> byOwner() {
        return events.mapToPair(event -> new Tuple2<>(event.owner(), event));
    }

    private JavaRDD<Tuple2<Integer, Integer>> pairsOfNumbers() {
        return numbers.map(n -> new Tuple2<>(n % 97, n));
    }

    private void ofObjects() {
        JavaPairRDD<Event.User, Event> byOwner = byOwner();
        put(
                "group-by",
                byOwner.groupByKey(3)
                        .mapValues(group -> Results.digest(list(group)))
                        .collect());
        put("reduce to many partitions", totals(byOwner, 500));
        List<Event.User> sorted = byOwner.sortByKey(true, 2).keys().collect();
        found.put(
                "sort is sorted",
                String.valueOf(sorted.equals(sorted.stream().sorted().toList())));
        put("sort", byOwner.sortByKey(false, 2).collect());
        JavaPairRDD<Event.User, Integer> regions =
                byOwner.keys().distinct(2).mapToPair(user -> new Tuple2<>(user, user.region()));
        put("join", byOwner.join(regions, 2).collect());
        put(
                "cogroup",
                byOwner.cogroup(regions, 2)
                        .mapValues(groups -> Results.digest(list(groups._1())) + list(groups._2()))
                        .collect());
        put("repartition", events.repartition(4).collect());
        put(
                "repartition of nothing",
                events.filter(event -> event.id() < 0).repartition(2).collect());
        put(
                "null keys",
                events.mapToPair(event -> new Tuple2<>(event.id() % 2 == 0 ? null : event.user(), event))
                        .groupByKey(3)
                        .mapValues(group -> Results.digest(list(group)))
                        .collect());
    }

    private static List<Tuple2<Event.User, String>> totals(JavaPairRDD<Event.User, Event> byOwner, int partitions) {
        return byOwner.aggregateByKey(new Event.Total(), partitions, Event.Total::add, Event.Total::add)
                .mapValues(Event.Total::toString)
                .coalesce(2)
                .collect();
    }

    /** As programs in Scala write them, where Spark knows of what keys and values are. */
    private void ofNumbersAndStrings() {
        ClassTag<Long> longs = tag(ClassTag$.MODULE$.Long());
        ClassTag<String> strings = ClassTag$.MODULE$.apply(String.class);
        ClassTag<long[]> arrays = ClassTag$.MODULE$.apply(long[].class);
        put("sums of numbers", pairs(pairsOfNumbers(), INTS, INTS).reduceByKey(new IntSum(), 3));
        put(
                "counts of strings",
                pairs(events.map(event -> new Tuple2<>(event.user(), 1L)), strings, longs)
                        .reduceByKey(new LongSum(), 3));
        List<String> ofArrays = new ArrayList<>();
        pairs(numbers.map(n -> new Tuple2<>(n, new long[] {n, -n})), INTS, arrays)
                .partitionBy(new HashPartitioner(3))
                .toJavaRDD()
                .collect()
                .forEach(pair -> ofArrays.add(pair._1() + Arrays.toString(pair._2())));
        put("arrays of numbers", ofArrays);
        found.put("serializer of pairs of numbers", serializerOfNumbers());
    }

    /** Without a job: it is chosen when a shuffle is made. */
    String serializerOfNumbers() {
        return serializerOf(pairs(pairsOfNumbers(), INTS, INTS).partitionBy(new HashPartitioner(5)));
    }

    private static final class IntSum extends AbstractFunction2<Integer, Integer, Integer> implements Serializable {
        @Override
        public Integer apply(Integer one, Integer other) {
            return one + other;
        }
    }

    private static final class LongSum extends AbstractFunction2<Long, Long, Long> implements Serializable {
        @Override
        public Long apply(Long one, Long other) {
            return one + other;
        }
    }

    @SuppressWarnings("unchecked") // Java writes boxes where Scala writes primitives.
    private static <T> ClassTag<T> tag(ClassTag<?> tag) {
        return (ClassTag<T>) tag;
    }

    private static <K, V> PairRDDFunctions<K, V> pairs(
            JavaRDD<Tuple2<K, V>> pairs, ClassTag<K> keys, ClassTag<V> values) {
        return new PairRDDFunctions<>(pairs.rdd(), keys, values, null);
    }

    private static String serializerOf(RDD<?> shuffled) {
        var shuffle = (org.apache.spark.ShuffleDependency<?, ?, ?>)
                shuffled.dependencies().head();
        return shuffle.serializer().getClass().getSimpleName();
    }

    private <T> void put(String name, RDD<T> values) {
        put(name, values.toJavaRDD().collect());
    }

    private void put(String name, List<?> values) {
        found.put(name, Results.digest(values));
    }

    private static <T> List<T> list(Iterable<T> values) {
        List<T> list = new ArrayList<>();
        values.forEach(list::add);
        return list;
    }
}
