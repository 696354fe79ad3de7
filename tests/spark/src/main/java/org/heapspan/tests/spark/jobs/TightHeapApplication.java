package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Combines by key far more than executors have memory for, in each of the ways that are hard to account for. Several tasks share the heap of an
 * executor. Each case says whether it came to its end, and what it found. Arguments: file for the results, pattern of the names of cases.
 */
public final class TightHeapApplication {
    private static final int PARTITIONS = 8;

    /** Both are combined at once. */
    private static final int REDUCERS = 2;

    /** Together more than the heap of an executor when they are objects. */
    private static final int RECORDS = 3_000_000;

    private static final int LARGE_BYTES = 50 << 20;

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
}
