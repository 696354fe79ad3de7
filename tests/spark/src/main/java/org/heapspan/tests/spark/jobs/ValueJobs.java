package org.heapspan.tests.spark.jobs;

import java.math.BigInteger;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.StorageLevels;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.mllib.recommendation.Rating;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.LongAccumulator;
import scala.None$;
import scala.Option;
import scala.Some;
import scala.Tuple2;
import scala.Tuple3;

/** Jobs that move objects between driver and executors, and to storage and back. */
final class ValueJobs {
    private final JavaSparkContext context;
    private final JavaRDD<Event> events;
    private final Results results;

    ValueJobs(JavaSparkContext context, JavaRDD<Event> events, Results results) {
        this.context = context;
        this.events = events;
        this.results = results;
    }

    void run() {
        broadcast();
        accumulators();
        taskResults();
        caches();
        checkpoint();
    }

    private void broadcast() {
        Map<String, Event> known = new LinkedHashMap<>();
        for (int i = 0; i < 500; i++) {
            known.put("user " + i, Event.number(i));
        }
        Broadcast<Map<String, Event>> everywhere = context.broadcast(known);
        results.putAll(
                "broadcast",
                events.filter(event -> event.id() % 100 == 0)
                        .map(event -> everywhere.value().get(event.user()) + " "
                                + everywhere.value().size())
                        .collect());
    }

    private void accumulators() {
        LongAccumulator items = context.sc().longAccumulator("items");
        CollectionAccumulator<Event.Item> expensive = context.sc().collectionAccumulator("expensive");
        events.foreach(event -> {
            items.add(event.items().size());
            event.items().stream().filter(item -> item.price().intValue() >= 10).forEach(expensive::add);
        });
        results.put("accumulated items", items.value());
        results.putAll("accumulated objects", expensive.value());
    }

    private void taskResults() {
        JavaRDD<Integer> numbers = context.parallelize(List.of(0, 1, 2, 3), 4);
        results.putAll(
                "results of the JDK's classes",
                numbers.map(ValueJobs::valuesOfTheJdk).map(String::valueOf).collect());
        results.putAll(
                "results of the JDK's classes, at the driver",
                numbers.map(ValueJobs::valuesOfTheJdk).collect());
        List<Object> scala = numbers.map(ValueJobs::valuesOfScala).collect();
        results.putAll("results of Scala's classes", scala);
        results.put("None is None", scala.stream().allMatch(value -> ((Tuple3<?, ?, ?>) value)._3() == None$.MODULE$));
        results.putAll(
                "shuffled classes of Scala",
                numbers.map(ValueJobs::valuesOfScala)
                        .mapToPair(value -> new Tuple2<>(value, new Rating(1, 2, 3.5)))
                        .groupByKey(2)
                        .mapValues(ratings -> ratings.iterator().next())
                        .collect());
        List<int[]> arrays = numbers.map(n -> new int[] {n, n + 1}).collect();
        results.putAll("arrays", arrays.stream().map(Arrays::toString).toList());
        results.put("reduced", events.map(event -> new Event.Total().add(event)).reduce(Event.Total::add));
        results.put("a large result", events.collect().size());
        results.putAll("nothing", numbers.filter(n -> n > 3).collect());
    }

    private static Object valuesOfTheJdk(int number) {
        List<Object> values = new ArrayList<>(Arrays.asList(1, 2L, 3.0, 'c', "text", null, true));
        values.add(BigInteger.TEN.pow(number * 10));
        values.add(LocalDate.of(2026, 1, 1 + number));
        values.add(ZoneId.of("Europe/Berlin"));
        values.add(new UUID(number, 1));
        values.add(Locale.GERMANY);
        values.add(EnumSet.of(Event.Kind.OPENED, Event.Kind.CHANGED));
        values.add(new EnumMap<>(Map.of(Event.Kind.CLOSED, List.of(number))));
        values.add(BitSet.valueOf(new long[] {number}));
        values.add(Collections.unmodifiableList(new ArrayList<>(List.of(number))));
        values.add(Map.of("one", Map.of("two", number)));
        return values;
    }

    private static Object valuesOfScala(int number) {
        scala.collection.immutable.List<Object> list = scala.collection.immutable.List$.MODULE$.empty();
        for (int i = 0; i < number; i++) {
            list = list.$colon$colon(new Some<>(i));
        }
        scala.collection.immutable.HashMap<String, Object> map = scala.collection.immutable.HashMap$.MODULE$.empty();
        for (int i = 0; i < 10; i++) {
            map = map.updated("key " + i, list);
        }
        return new Tuple3<>(
                list.toVector(),
                map.toSeq().sortBy(pair -> pair._1(), scala.math.Ordering.String$.MODULE$),
                Option.empty());
    }

    private void caches() {
        Map<String, StorageLevel> levels = Map.of(
                "MEMORY_ONLY_SER", StorageLevels.MEMORY_ONLY_SER,
                "DISK_ONLY", StorageLevels.DISK_ONLY,
                "MEMORY_AND_DISK_SER", StorageLevels.MEMORY_AND_DISK_SER,
                "MEMORY_ONLY_SER_2", StorageLevels.MEMORY_ONLY_SER_2);
        String uncached = Results.digest(events.collect());
        levels.forEach((name, level) -> {
            JavaRDD<Event> cached = events.map(event -> event).setName(name).persist(level);
            String first = Results.digest(cached.collect());
            String second = Results.digest(cached.collect());
            boolean stored = Arrays.stream(context.sc().getRDDStorageInfo())
                    .anyMatch(info -> info.name().equals(name) && info.numCachedPartitions() == 4);
            results.put("cache " + name, first.equals(uncached) && second.equals(uncached) && stored);
            cached.unpersist(true);
        });
    }

    private void checkpoint() {
        JavaRDD<Event> kept = events.filter(event -> event.id() % 7 == 0);
        kept.checkpoint();
        results.put("checkpointed", kept.count());
        results.putAll("checkpoint", kept.collect());
        results.put("checkpoint file", kept.getCheckpointFile().get());
    }
}
