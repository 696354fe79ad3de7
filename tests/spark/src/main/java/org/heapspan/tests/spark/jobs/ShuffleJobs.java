package org.heapspan.tests.spark.jobs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.heapspan.tests.spark.extra.Reading;
import scala.Tuple2;

/** Jobs that move objects between executors. */
final class ShuffleJobs {
    /** Up to how many partitions Spark writes a file for each. */
    static final String FEW_PARTITIONS_KEY = "spark.shuffle.sort.bypassMergeThreshold";

    static final String FEW_PARTITIONS = "20";

    /** More than that, so that Spark chooses another writer. */
    private static final int MANY = 25;

    private final JavaRDD<Event> events;
    private final Results results;

    ShuffleJobs(JavaRDD<Event> events, Results results) {
        this.events = events;
        this.results = results;
    }

    void run() {
        JavaPairRDD<Event.User, Event> byOwner = events.mapToPair(event -> new Tuple2<>(event.owner(), event));
        results.putAll(
                "group-by",
                byOwner.groupByKey(5)
                        .mapValues(group -> Results.digest(list(group)))
                        .collect());
        results.putAll(
                "group-by of strings",
                events.groupBy(Event::user, 3)
                        .mapValues(group -> Results.digest(list(group)))
                        .collect());

        JavaPairRDD<Event.User, Map<String, List<Integer>>> profiles =
                byOwner.keys().distinct(3).mapToPair(user -> new Tuple2<>(user, profileOf(user)));
        results.putAll(
                "join", byOwner.join(profiles, 4).values().map(Tuple2::toString).collect());
        results.putAll(
                "left outer join",
                profiles.filter(profile -> profile._1().region() < 2)
                        .rightOuterJoin(byOwner.sample(false, 0.1, 7))
                        .collect());
        results.putAll(
                "cogroup",
                byOwner.cogroup(profiles, 3)
                        .mapValues(groups -> Results.digest(list(groups._1())) + list(groups._2()))
                        .collect());

        List<Event.User> sorted = byOwner.sortByKey(true, 4).keys().collect();
        results.put("sort is sorted", sorted.equals(sorted.stream().sorted().toList()));
        results.putAll("sort", byOwner.sortByKey(false, 4).collect());
        results.putAll(
                "distinct",
                events.flatMap(event -> event.items().iterator()).distinct(6).collect());
        results.putAll("reduce", totals(byOwner, 3));
        results.putAll("reduce to many partitions", totals(byOwner, MANY));
        results.putAll(
                "group-by to many partitions",
                byOwner.groupByKey(MANY)
                        .mapValues(group -> Results.digest(list(group)))
                        .collect());
        results.putAll(
                "null values",
                byOwner.mapValues(event -> event.id() % 3 == 0 ? null : event)
                        .groupByKey(2)
                        .mapValues(g -> Results.digest(list(g)))
                        .collect());
        results.putAll(
                "classes of --jars",
                events.mapToPair(event -> new Tuple2<>(new Reading(event.user(), 3), event.id()))
                        .reduceByKey(Math::max)
                        .sortByKey()
                        .collect());
    }

    private static List<Tuple2<Event.User, String>> totals(JavaPairRDD<Event.User, Event> byOwner, int partitions) {
        return byOwner.aggregateByKey(new Event.Total(), partitions, Event.Total::add, Event.Total::add)
                .mapValues(Event.Total::toString)
                .collect();
    }

    private static Map<String, List<Integer>> profileOf(Event.User user) {
        Map<String, List<Integer>> profile = new TreeMap<>(Comparator.reverseOrder());
        profile.put("region", List.of(user.region()));
        profile.put(user.name(), new ArrayList<>(List.of(1, 2, user.name().length())));
        return profile;
    }

    private static <T> List<T> list(Iterable<T> values) {
        List<T> list = new ArrayList<>();
        values.forEach(list::add);
        return list;
    }
}
