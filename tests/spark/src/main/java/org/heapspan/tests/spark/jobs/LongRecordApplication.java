package org.heapspan.tests.spark.jobs;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/** Caches and shuffles a partition with one record that is as long as an array of so many numbers: {@code results longs}. */
public final class LongRecordApplication {
    private static final int OTHERS = 20_000;

    private LongRecordApplication() {}

    public static void main(String[] arguments) {
        int length = Integer.parseInt(arguments[1]);
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            JavaRDD<Tuple2<Integer, long[]>> records = context.parallelize(List.of(0), 1)
                    .flatMap(any -> records(length))
                    .persist(StorageLevel.MEMORY_ONLY());
            for (String pass : List.of("computed", "cached")) {
                results.put(
                        pass,
                        records.mapPartitions(LongRecordApplication::summary).collect());
            }
            results.put("cached partitions", context.sc().getRDDStorageInfo()[0].numCachedPartitions());
            records.unpersist(true);
            results.put(
                    "shuffled",
                    records.repartition(1)
                            .mapPartitions(LongRecordApplication::summary)
                            .collect());
            JavaRDD<Tuple2<Integer, long[]>> onDisk = context.parallelize(List.of(0), 1)
                    .flatMap(any -> records(length))
                    .persist(StorageLevel.DISK_ONLY());
            for (String pass : List.of("written to disk", "read from disk")) {
                results.put(
                        pass,
                        onDisk.mapPartitions(LongRecordApplication::summary).collect());
            }
        }
        results.write(arguments[0]);
    }

    private static Iterator<Tuple2<Integer, long[]>> records(int length) {
        return IntStream.range(0, OTHERS)
                .mapToObj(i -> new Tuple2<>(i, i == OTHERS / 2 ? numbers(length) : new long[] {i}))
                .iterator();
    }

    private static long[] numbers(int length) {
        long[] numbers = new long[length];
        for (int i = 0; i < length; i++) {
            numbers[i] = 3L * i;
        }
        return numbers;
    }

    /** How many records there are, whether they come in their order, and what their numbers are. */
    private static Iterator<String> summary(Iterator<Tuple2<Integer, long[]>> records) {
        List<String> summary = new ArrayList<>();
        int count = 0;
        boolean ordered = true;
        long sum = 0;
        while (records.hasNext()) {
            Tuple2<Integer, long[]> record = records.next();
            ordered &= record._1() == count++;
            for (long number : record._2()) {
                sum = sum * 31 + number;
            }
        }
        summary.add(count + " " + ordered + " " + sum);
        return summary.iterator();
    }
}
