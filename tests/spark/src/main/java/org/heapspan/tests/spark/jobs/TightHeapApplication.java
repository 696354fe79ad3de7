package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * Combines, joins, sorts and caches far more than executors have memory for, in each of the ways that are hard to account for. Several tasks share the
 * heap of an executor. Each case says whether it came to its end, and what it found. Arguments: file for the results, pattern of the names of cases.
 */
public final class TightHeapApplication {
    private static final int PARTITIONS = 8;

    /** Both are combined at once. */
    private static final int REDUCERS = 2;

    /** Together more than the heap of an executor when they are objects. */
    private static final int RECORDS = 3_000_000;

    private static final int LARGE_BYTES = 50 << 20;

    /** Each is a graph of at least 100 bytes, most of 200. */
    private static final int OBJECTS = 1_000_000;

    /** Of objects in groups. */
    private static final int KEYS = 50_000;

    private final JavaSparkContext context;
    private final ShuffleTotals totals = new ShuffleTotals();
    private final Results results = new Results();
    private String wanted = "";

    private TightHeapApplication(JavaSparkContext context) {
        this.context = context;
    }

    public static void main(String[] arguments) {
        TightHeapApplication application;
        try (JavaSparkContext context = new JavaSparkContext()) {
            application = new TightHeapApplication(context);
            context.sc().addSparkListener(application.totals);
            application.run(arguments[1]);
        }
        application.results.write(arguments[0]);
    }

    /** Two of them share a part, within a record. */
    record Half(long[] shared, int number) implements Serializable {}

    private void run(String which) {
        wanted = which;
        check("one key with nine tenths", this::oneKey);
        check("combiners that grow a thousandfold", this::growing);
        check("values of 50 MB", this::large);
        check("shared parts", this::shared);
        check("records that the program keeps", this::kept);
        check("reduced on both sides", this::reduced);
        check("join with one key of nine tenths", this::joined);
        check("cogroup with shared parts", this::cogrouped);
        check("cogroup over a cached RDD", this::cogroupedFromCache);
        check("sort by key", this::sorted);
        check("sort within partitions", this::sortedWithin);
        check("cached in memory", () -> cached(StorageLevel.MEMORY_ONLY()));
        check("cached in memory and on disk", () -> cached(StorageLevel.MEMORY_AND_DISK()));
    }

    private void check(String name, Supplier<Object> job) {
        if (!name.matches(wanted)) {
            return;
        }
        totals.forgetSpills();
        try {
            results.put(name, job.get());
            // Tells the totals what the tasks have said.
            ShuffleTotals.awaitListeners(context);
            results.put(name + ": spilled", totals.spilled());
        } catch (Exception e) { // Spark's own is checked, and not declared.
            results.put(name, "failed");
            System.err.println(name + " failed: " + e);
        }
    }

    private JavaRDD<Integer> numbers(int count) {
        int each = count / PARTITIONS;
        return context.parallelize(IntStream.range(0, PARTITIONS).boxed().toList(), PARTITIONS)
                .flatMap(part -> IntStream.range(part * each, (part + 1) * each).iterator());
    }

    /** The group of that key must fit in the heap, and is not all there is. */
    private Object oneKey() {
        return numbers(RECORDS)
                .mapToPair(number -> new Tuple2<>(number % 10 == 0 ? number : -1, "v" + number))
                .groupByKey(REDUCERS)
                .mapToPair(group -> {
                    long count = 0;
                    for (String value : group._2()) {
                        count += value.length();
                    }
                    return new Tuple2<>(1, count);
                })
                .values()
                .reduce(Long::sum);
    }

    private Object growing() {
        return numbers(RECORDS)
                .mapToPair(number -> new Tuple2<>(number % 1500, number * 31))
                .aggregateByKey(
                        new HashSet<Integer>(),
                        REDUCERS,
                        (set, number) -> {
                            set.add(number);
                            return set;
                        },
                        (left, right) -> {
                            left.addAll(right);
                            return left;
                        })
                .mapToPair(pair -> new Tuple2<>(1, (long) pair._2().size()))
                .values()
                .reduce(Long::sum);
    }

    private Object large() {
        return numbers(PARTITIONS)
                .mapToPair(number -> {
                    byte[] bytes = new byte[LARGE_BYTES];
                    bytes[number] = 1;
                    return new Tuple2<>(number % 4, bytes);
                })
                .reduceByKey(
                        (left, right) -> {
                            for (int i = 0; i < PARTITIONS; i++) {
                                left[i] += right[i];
                            }
                            return left;
                        },
                        REDUCERS)
                .mapToPair(pair -> {
                    long sum = 0;
                    for (byte each : pair._2()) {
                        sum += each;
                    }
                    return new Tuple2<>(1, sum);
                })
                .values()
                .reduce(Long::sum);
    }

    private Object shared() {
        return numbers(RECORDS / 20)
                .mapToPair(number -> {
                    long[] shared = new long[200];
                    shared[0] = number;
                    return new Tuple2<>(number % 5000, List.of(new Half(shared, number), new Half(shared, -number)));
                })
                .groupByKey(REDUCERS)
                .mapToPair(group -> {
                    long same = 0;
                    for (List<Half> halves : group._2()) {
                        same += halves.get(0).shared() == halves.get(1).shared() ? 1 : 0;
                    }
                    return new Tuple2<>(1, same);
                })
                .values()
                .reduce(Long::sum);
    }

    private Object kept() {
        JavaPairRDD<Integer, String> pairs =
                numbers(RECORDS).mapToPair(number -> new Tuple2<>(number % 100_000, "value " + number));
        return pairs.combineByKey(
                        value -> {
                            Kept.keep(value);
                            return new ArrayList<>(List.of(value));
                        },
                        (list, value) -> {
                            Kept.keep(value);
                            list.add(value);
                            return list;
                        },
                        (left, right) -> {
                            left.addAll(right);
                            return left;
                        },
                        REDUCERS)
                .mapToPair(pair -> new Tuple2<>(1, (long) pair._2().size()))
                .values()
                .reduce(Long::sum);
    }

    /** What a program holds on to beside what it returns. */
    private static final class Kept {
        private static final int MOST = 50_000;
        private static final Deque<String> VALUES = new ArrayDeque<>();

        static synchronized void keep(String value) {
            VALUES.add(value);
            if (VALUES.size() > MOST) {
                VALUES.poll();
            }
        }
    }

    private Object reduced() {
        return numbers(2 * RECORDS)
                .mapToPair(number -> new Tuple2<>("key " + number / 2, (long) number))
                .reduceByKey(Long::sum, REDUCERS)
                .mapToPair(pair -> new Tuple2<>(1, pair._2() % 1000 + 1))
                .values()
                .reduce(Long::sum);
    }

    /** An object of which two parts share a third. */
    private static List<Half> halves(int number, int length) {
        long[] shared = new long[length];
        shared[0] = number;
        return List.of(new Half(shared, number), new Half(shared, -number));
    }

    /** Its number, if the parts still share what they shared. */
    private static long checked(List<Half> halves) {
        Half first = halves.get(0);
        if (first.shared() != halves.get(1).shared() || first.shared()[0] != first.number()) {
            throw new IllegalStateException("the parts of object " + first.number() + " do not share what they shared");
        }
        return first.number();
    }

    private JavaPairRDD<Integer, List<Half>> pairs(int count, int length) {
        return numbers(count).mapToPair(number -> new Tuple2<>(number % KEYS, halves(number, length)));
    }

    /** The group of one key has nine tenths of the values of one side, and must fit in the heap. */
    private Object joined() {
        JavaPairRDD<Integer, List<Half>> most = numbers(OBJECTS / 4)
                .mapToPair(number -> new Tuple2<>(number % 10 == 0 ? number % KEYS : -1, halves(number, 10)));
        JavaPairRDD<Integer, List<Half>> others =
                numbers(OBJECTS / 4 * 3).mapToPair(number -> new Tuple2<>(number - 1, halves(number, 10)));
        return most.join(others, REDUCERS)
                .map(pair -> checked(pair._2()._1()) + checked(pair._2()._2()) % 10)
                .reduce(Long::sum);
    }

    private Object cogrouped() {
        return pairs(OBJECTS / 2, 10)
                .cogroup(pairs(OBJECTS / 10, 100), pairs(OBJECTS / 2, 5), REDUCERS)
                .map(group -> sum(group._2()._1())
                        + 3 * sum(group._2()._2())
                        + 7 * sum(group._2()._3()))
                .reduce(Long::sum);
    }

    private static long sum(Iterable<List<Half>> group) {
        long sum = 0;
        for (List<Half> each : group) {
            sum += checked(each);
        }
        return sum;
    }

    /** What is cached has the partitions of the groups. So tasks take it as it is, without a shuffle. */
    private Object cogroupedFromCache() {
        JavaPairRDD<Integer, List<Half>> cached = pairs(OBJECTS / 2, 10)
                .partitionBy(new HashPartitioner(REDUCERS))
                .persist(StorageLevel.MEMORY_ONLY());
        cached.count();
        try {
            return cached.cogroup(pairs(OBJECTS / 2, 10), new HashPartitioner(REDUCERS))
                    .map(group -> sum(group._2()._1()) + 3 * sum(group._2()._2()))
                    .reduce(Long::sum);
        } finally {
            cached.unpersist(true);
        }
    }

    private Object sorted() {
        return numbers(OBJECTS)
                .mapToPair(number -> new Tuple2<>("key " + Integer.reverse(number), halves(number, 10)))
                .sortByKey(true, REDUCERS)
                .mapPartitions(TightHeapApplication::inOrder)
                .collect();
    }

    /** Some objects are a hundred times as large as others. */
    private Object sortedWithin() {
        return numbers(OBJECTS / 10)
                .mapToPair(number ->
                        new Tuple2<>("key " + Integer.reverse(number), halves(number, 1 + number % 10 * number % 1000)))
                .repartitionAndSortWithinPartitions(new HashPartitioner(REDUCERS))
                .mapPartitions(TightHeapApplication::inOrder)
                .collect();
    }

    private static Iterator<String> inOrder(Iterator<Tuple2<String, List<Half>>> pairs) {
        String latest = "";
        long count = 0;
        long sum = 0;
        while (pairs.hasNext()) {
            Tuple2<String, List<Half>> pair = pairs.next();
            if (latest.compareTo(pair._1()) > 0) {
                throw new IllegalStateException(pair._1() + " comes after " + latest);
            }
            latest = pair._1();
            sum += ++count * checked(pair._2());
        }
        return List.of(count + " objects, " + sum).iterator();
    }

    /** The objects of a partition become larger. Other tasks combine in the same heap at the same time. */
    private Object cached(StorageLevel level) {
        int each = OBJECTS / PARTITIONS;
        JavaRDD<List<Half>> objects = numbers(OBJECTS)
                .map(number -> halves(number, number % each < each / 2 ? 2 : 60))
                .persist(level);
        CompletableFuture<Long> beside = CompletableFuture.supplyAsync(
                () -> {
                    // With spark.scheduler.mode=FAIR the tasks of both jobs take turns.
                    context.setLocalProperty("spark.scheduler.pool", "beside");
                    return pairs(OBJECTS / 2, 10)
                            .groupByKey(REDUCERS)
                            .map(group -> sum(group._2()))
                            .reduce(Long::sum);
                },
                job -> new Thread(job).start());
        try {
            long first = objects.map(TightHeapApplication::checked).reduce(Long::sum);
            long again = objects.map(TightHeapApplication::checked).reduce(Long::sum);
            String found = first + " " + again + " " + beside.join();
            RDDInfo info = context.sc().getRDDStorageInfo()[0];
            if (info.numCachedPartitions() == PARTITIONS && info.diskSize() == 0) {
                throw new IllegalStateException("all objects were in memory at the same time");
            }
            return found;
        } finally {
            objects.unpersist(true);
        }
    }
}
