package org.heapspan.tests.spark.jobs;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.reflect.ClassTag$;

/** Reads what another application left behind: {@code results checkpoint}. */
public final class CheckpointApplication {
    private CheckpointApplication() {}

    public static void main(String[] arguments) {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            results.putAll("checkpoint", read(context, arguments[1]));
        }
        results.write(arguments[0]);
    }

    static List<Object> read(JavaSparkContext context, String checkpoint) {
        return context.sc()
                .<Object>checkpointFile(checkpoint, ClassTag$.MODULE$.Object())
                .toJavaRDD()
                .collect();
    }
}
