package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.StorageLevels;
import scala.Tuple2;

/**
 * Jobs whose iterators hand out one object again and again with other contents, as Hadoop's readers do. Java serialization writes such an object once and
 * then refers back to it, with wrong results.
 */
final class ReuseJobs {
    private final JavaSparkContext context;
    private final Results results;

    ReuseJobs(JavaSparkContext context, Results results) {
        this.context = context;
        this.results = results;
    }

    static final class Cell implements Serializable {
        int number;
        final StringBuilder text = new StringBuilder();
    }

    /** Hands out one cell, changed each time. */
    private static Iterator<Cell> cells(Iterator<Integer> numbers) {
        Cell cell = new Cell();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return numbers.hasNext();
            }

            @Override
            public Cell next() {
                cell.number = numbers.next();
                cell.text.setLength(0);
                cell.text.append("cell ").append(cell.number);
                return cell;
            }
        };
    }

    void run() {
        JavaRDD<Cell> cells = context.parallelize(
                        IntStream.range(0, 5000).boxed().toList(), 2)
                .mapPartitions(ReuseJobs::cells);
        List<String> shuffled = cells.mapToPair(cell -> new Tuple2<>(cell.number % 7, cell))
                .partitionBy(new HashPartitioner(3))
                .values()
                .map(cell -> cell.number + " " + cell.text)
                .collect();
        results.putAll("reused records, shuffled", shuffled);
        JavaRDD<Cell> cached = cells.persist(StorageLevels.MEMORY_ONLY_SER);
        cached.count();
        results.putAll(
                "reused records, cached",
                cached.map(cell -> cell.number + " " + cell.text).collect());
        results.putAll(
                "reused records, expected",
                IntStream.range(0, 5000).mapToObj(i -> i + " cell " + i).toList());
    }
}
