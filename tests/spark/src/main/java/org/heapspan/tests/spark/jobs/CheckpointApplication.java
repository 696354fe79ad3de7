package org.heapspan.tests.spark.jobs;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.reflect.ClassTag$;

/** Reads what another application left behind: {@code results checkpoint}. */
public final class CheckpointApplication {
    private CheckpointApplication() {}

    public static void main(String[] arguments) {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            results.putAll(
                    "checkpoint",
                    context.sc()
                            .<Object>checkpointFile(arguments[1], ClassTag$.MODULE$.Object())
                            .toJavaRDD()
                            .collect());
        }
        results.write(arguments[0]);
    }
}
