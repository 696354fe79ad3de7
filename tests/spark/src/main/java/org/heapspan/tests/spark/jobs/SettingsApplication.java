package org.heapspan.tests.spark.jobs;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Tells which serializers are in use and runs a small job: {@code results}. */
public final class SettingsApplication {
    private SettingsApplication() {}

    public static void main(String[] arguments) {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            SerializersInUse.tell(context, results);
            results.put(
                    "ports of the shuffle servers",
                    new TreeSet<>(context.parallelize(List.of(1, 2, 3, 4), 4)
                            .map(any -> SparkEnv.get()
                                    .blockManager()
                                    .shuffleServerId()
                                    .port())
                            .collect()));
            results.putAll(
                    "group-by",
                    context.parallelize(IntStream.range(0, 1000).boxed().toList(), 2)
                            .map(Event::number)
                            .mapToPair(event -> new Tuple2<>(event.owner(), event))
                            .groupByKey()
                            .collect());
        }
        results.write(arguments[0]);
    }
}
