package org.heapspan.tests.spark.jobs;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** The executors of an application, and which serializer Spark uses there and elsewhere. */
final class Executors {
    private static final Pattern LOCAL_CLUSTER = Pattern.compile("local-cluster\\[(\\d+),\\d+,\\d+]");
    private static final int TASKS = 8;
    private static final int MOST_SECONDS = 240;

    private Executors() {}

    /** Those that do tasks. If the application starts a cluster of its own, waits until all of it do: on a slow machine one begins seconds before another. */
    static Set<String> atWork(JavaSparkContext context) {
        Matcher cluster = LOCAL_CLUSTER.matcher(context.master());
        int count = cluster.matches() ? Integer.parseInt(cluster.group(1)) : 1;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
        Set<String> found;
        do {
            found = new TreeSet<>(
                    context.parallelize(IntStream.range(0, TASKS).boxed().toList(), TASKS)
                            .map(any -> {
                                Thread.sleep(100); // so that no executor does it all
                                return SparkEnv.get().executorId();
                            })
                            .collect());
        } while (found.size() < count && System.nanoTime() - end < 0);
        return found;
    }

    /** Waits until they do no tasks, as those of a job that has failed go on for a moment. A task that does not end lets this wait until the test gives up. */
    static void awaitIdle(JavaSparkContext context) throws InterruptedException {
        ShuffleTotals.awaitListeners(context);
        while (runningTasks(context) > 0) {
            Thread.sleep(10);
        }
    }

    private static int runningTasks(JavaSparkContext context) {
        return Arrays.stream(context.statusTracker().getExecutorInfos())
                .mapToInt(SparkExecutorInfo::numRunningTasks)
                .sum();
    }

    static void tellSerializers(JavaSparkContext context, Results results) {
        results.put("executors", atWork(context));
        results.put("serializer of the driver", name(SparkEnv.get()));
        var numbers = context.parallelize(IntStream.range(0, TASKS).boxed().toList(), TASKS);
        results.put(
                "serializer of the executors",
                new TreeSet<>(numbers.map(any -> {
                            Thread.sleep(200); // so that no executor does it all
                            return name(SparkEnv.get());
                        })
                        .collect()));
        JavaPairRDD<Integer, Integer> shuffled =
                numbers.mapToPair(n -> new Tuple2<>(n, n)).groupByKey().mapValues(values -> 1);
        var grouped = shuffled.rdd().dependencies().head().rdd();
        while (!(grouped.dependencies().head() instanceof ShuffleDependency)) {
            grouped = grouped.dependencies().head().rdd();
        }
        var shuffle = (ShuffleDependency<?, ?, ?>) grouped.dependencies().head();
        results.put("serializer of a shuffle", shuffle.serializer().getClass().getName());
    }

    private static String name(SparkEnv environment) {
        return environment.serializer().getClass().getName();
    }
}
