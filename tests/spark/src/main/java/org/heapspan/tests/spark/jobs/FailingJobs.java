package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import scala.Tuple2;

/** Jobs that fail, and what the driver hears of it. */
final class FailingJobs {
    private final JavaSparkContext context;
    private final Results results;

    FailingJobs(JavaSparkContext context, Results results) {
        this.context = context;
        this.results = results;
    }

    /** An exception of the program, with contents of its own. */
    static final class OrderRejected extends RuntimeException {
        final Event event;

        OrderRejected(Event event) {
            super("order " + event.id() + " is rejected");
            this.event = event;
        }
    }

    /** Cannot travel: what it refers to means nothing elsewhere. */
    record Job(String name, List<Worker> workers) implements Serializable {}

    record Worker(int number, Thread thread) implements Serializable {}

    void run() {
        JavaRDD<Integer> numbers = context.parallelize(List.of(1, 2, 3, 4), 2);
        String rejected = failureOf(numbers, number -> {
            if (number == 3) {
                throw new OrderRejected(Event.number(number));
            }
            return number;
        });
        results.put("exception", rejected.contains("order 3 is rejected"));
        results.put("refused result", failureOf(numbers, FailingJobs::job));
        results.put(
                "refused record",
                failureOf(
                        numbers.mapToPair(number -> new Tuple2<>(number, job(number)))
                                .groupByKey(2)
                                .keys(),
                        number -> number));
        results.putAll("works after failures", numbers.map(Event::number).collect());
    }

    private static Job job(int number) {
        return new Job("job", List.of(new Worker(1, null), new Worker(number, new Thread("worker"))));
    }

    private static <T, R> String failureOf(JavaRDD<T> values, Function<T, R> function) {
        try {
            return "no failure: " + values.map(function).collect();
        } catch (Exception e) {
            if (e instanceof SparkException) {
                return String.valueOf(e.getMessage());
            }
            throw e;
        }
    }
}
