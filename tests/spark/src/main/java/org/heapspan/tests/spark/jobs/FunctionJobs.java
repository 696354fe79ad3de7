package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** A job that composes functions: each holds the one before it, so that one record is a chain of lambdas. */
final class FunctionJobs {
    private static final int FUNCTIONS = 20_000;

    private final JavaSparkContext context;
    private final Results results;

    FunctionJobs(JavaSparkContext context, Results results) {
        this.context = context;
        this.results = results;
    }

    private interface Step extends LongUnaryOperator, Serializable {}

    /**
     * Runs the job.
     *
     * @param partitions the fewer there are, the longer are the chains
     */
    void run(int partitions) {
        results.putAll(
                "composed functions",
                context.parallelize(IntStream.range(0, FUNCTIONS).boxed().toList(), partitions)
                        .mapToPair(number -> new Tuple2<>("all", step(number)))
                        .reduceByKey(FunctionJobs::composed, 2)
                        .mapValues(function -> function.applyAsLong(0))
                        .collect());
    }

    private static Step step(int number) {
        return x -> x + number;
    }

    private static Step composed(Step outer, Step inner) {
        return x -> outer.applyAsLong(inner.applyAsLong(x));
    }
}
