package org.heapspan.tests.spark.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** A group-by of events whose result is known, so that a wrong one is noticed. */
final class FaultyJob {
    private static final int EVENTS = 8_000;
    private static final int PARTITIONS = 4;

    private final JavaSparkContext context;

    FaultyJob(JavaSparkContext context) {
        this.context = context;
    }

    JavaRDD<Event> events() {
        return context.parallelize(IntStream.range(0, EVENTS).boxed().toList(), PARTITIONS)
                .map(Event::number);
    }

    static JavaPairRDD<Event.User, Iterable<Event>> grouped(JavaRDD<Event> events) {
        return events.mapToPair(event -> new Tuple2<>(event.owner(), event)).groupByKey(PARTITIONS);
    }

    static JavaRDD<String> digests(JavaPairRDD<Event.User, Iterable<Event>> grouped) {
        return grouped.map(group -> digest(group._1(), group._2()));
    }

    private static String digest(Event.User user, Iterable<Event> events) {
        List<Event> all = new ArrayList<>();
        events.forEach(all::add);
        return user + " " + Results.digest(all);
    }

    /** The result of the job as it is. */
    String result() {
        return outcome(() -> digests(grouped(events())).collect());
    }

    /** What became of the job: {@code right}, or how it failed, or what was wrong. */
    static String outcome(Supplier<List<String>> job) {
        List<String> found;
        try {
            found = job.get();
        } catch (Exception e) {
            if (e instanceof SparkException) {
                return "failed: " + e.getMessage();
            }
            throw e;
        }
        String expected = Results.digest(expected());
        String actual = Results.digest(found);
        return actual.equals(expected) ? "right" : "wrong: " + actual + ", expected " + expected;
    }

    /** Computed without Spark. */
    private static List<String> expected() {
        Map<Event.User, List<Event>> groups = new TreeMap<>();
        for (int i = 0; i < EVENTS; i++) {
            Event event = Event.number(i);
            groups.computeIfAbsent(event.owner(), user -> new ArrayList<>()).add(event);
        }
        return groups.entrySet().stream()
                .map(group -> digest(group.getKey(), group.getValue()))
                .toList();
    }

    /** Shuffles some megabytes that do not compress, for which a disk may have no room. */
    String large() {
        return outcome(() -> {
            long count = context.parallelize(List.of(1, 2, 3, 4), PARTITIONS)
                    .mapToPair(number -> {
                        byte[] noise = new byte[4 << 20];
                        new Random(number).nextBytes(noise);
                        return new Tuple2<>(new Event.User("u", number), noise);
                    })
                    .groupByKey(2)
                    .count();
            return List.of(String.valueOf(count));
        });
    }
}
