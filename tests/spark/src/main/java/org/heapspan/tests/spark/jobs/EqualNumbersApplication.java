package org.heapspan.tests.spark.jobs;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Groups integers and longs of the same numbers by key, without spills and with them. Argument: file for the results. */
public final class EqualNumbersApplication {
    private static final int KEYS = 1000;

    private EqualNumbersApplication() {}

    public static void main(String[] arguments) {
        Results results = new Results();
        results.put("groups without spills", groups(Integer.MAX_VALUE));
        results.put("groups with spills", groups(KEYS / 10));
        results.write(arguments[0]);
    }

    private static long groups(int mostElements) {
        SparkConf conf =
                new SparkConf().set("spark.shuffle.spill.numElementsForceSpillThreshold", String.valueOf(mostElements));
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            return keys(context, IntStream.range(0, KEYS).boxed().toList())
                    .cogroup(keys(context, LongStream.range(0, KEYS).boxed().toList()), 1)
                    .count();
        }
    }

    private static JavaPairRDD<Object, Object> keys(JavaSparkContext context, List<?> numbers) {
        return context.parallelize(numbers, 1).mapToPair(number -> new Tuple2<>(number, "of " + number));
    }
}
