package org.heapspan.tests.spark.jobs;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * What it takes to start: {@code results jobs}, where jobs are {@code objects} or {@code tables}. Times are in milliseconds; what processors did
 * is that of the driver and of one executor since their start.
 */
public final class StartUpApplication {
    private StartUpApplication() {}

    public static void main(String[] arguments) {
        Results results = new Results();
        long start = System.nanoTime();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            long started = System.nanoTime();
            if (arguments[1].equals("objects")) {
                context.parallelize(IntStream.range(0, 1000).boxed().toList(), 2)
                        .mapToPair(number -> new Tuple2<>(number % 10, Event.number(number)))
                        .groupByKey(2)
                        .collect();
            } else {
                SparkSession session =
                        SparkSession.builder().sparkContext(context.sc()).getOrCreate();
                session.range(0, 2_000_000, 1, 2)
                        .selectExpr("id % 100 as kind", "id")
                        .groupBy("kind")
                        .sum("id")
                        .collectAsList();
            }
            long done = System.nanoTime();
            results.put("context", (started - start) / 1_000_000);
            results.put("first job", (done - started) / 1_000_000);
            results.put("driver processor", processorMillis());
            results.put(
                    "executor processor",
                    context.parallelize(List.of(1), 1)
                            .map(any -> processorMillis())
                            .first());
        }
        results.write(arguments[0]);
    }

    private static long processorMillis() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1_000_000;
    }
}
