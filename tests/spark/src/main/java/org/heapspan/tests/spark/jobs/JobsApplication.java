package org.heapspan.tests.spark.jobs;

import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Runs jobs of all kinds and writes what they found: {@code results checkpoint-folder heapspan [checkpoint]}. An ordinary program for
 * Spark. Only the third argument tells by which serializer its objects travel, for what Java serialization does not carry. It reads the checkpoint,
 * which another application left behind.
 */
public final class JobsApplication {
    private JobsApplication() {}

    public static void main(String[] arguments) {
        Results results = new Results();
        SparkConf settings = new SparkConf().set(ShuffleJobs.FEW_PARTITIONS_KEY, ShuffleJobs.FEW_PARTITIONS);
        try (JavaSparkContext context = new JavaSparkContext(settings)) {
            context.setCheckpointDir(arguments[1]);
            Executors.tellSerializers(context, results);
            var events = context.parallelize(IntStream.range(0, 10_000).boxed().toList(), 4)
                    .map(Event::number);
            new ShuffleJobs(events, results).run();
            new ValueJobs(context, events, results).run();
            LearningJobs.run(context, results);
            new FailingJobs(context, results).run();
            boolean heapspan = Boolean.parseBoolean(arguments[2]);
            // Chains of 250 are what Java serialization carries for certain; elsewhere they are cut by spills after
            // 1,500.
            new FunctionJobs(context, results).run(heapspan ? 4 : 80);
            if (heapspan) {
                new ReuseJobs(context, results).run();
            }
            if (arguments.length > 3) {
                results.putAll("checkpoint of another application", CheckpointApplication.read(context, arguments[3]));
            }
        }
        results.write(arguments[0]);
    }
}
