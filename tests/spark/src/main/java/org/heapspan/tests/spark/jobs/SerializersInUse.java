package org.heapspan.tests.spark.jobs;

import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Which serializer Spark uses where. */
final class SerializersInUse {
    private SerializersInUse() {}

    static void tell(JavaSparkContext context, Results results) {
        results.put("serializer of the driver", name(SparkEnv.get()));
        var numbers = context.parallelize(IntStream.range(0, 8).boxed().toList(), 8);
        results.put(
                "serializer of the executors",
                new TreeSet<>(numbers.map(any -> {
                            Thread.sleep(200); // so that no executor does it all
                            return name(SparkEnv.get());
                        })
                        .collect()));
        results.put(
                "executors",
                new TreeSet<>(numbers.map(any -> {
                            Thread.sleep(100);
                            return SparkEnv.get().executorId();
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
