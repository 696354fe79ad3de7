package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import scala.Tuple2;

/**
 * Page ranks by URL, and the bytes that the last iteration shuffles for each record: {@code results folder}. Before it an executor is killed, so that
 * one reads which has written nothing.
 */
public final class RepeatedKeysApplication {
    private static final int PAGES = 4_000;
    private static final int LINKS = 5;
    private static final int PARTITIONS = 4;
    private static final int ITERATIONS = 6;

    private RepeatedKeysApplication() {}

    private record Page(String url) implements Serializable {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        Map<Integer, Double> bytes = new ConcurrentHashMap<>();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            context.sc().addSparkListener(new SparkListener() {
                @Override
                public void onStageCompleted(SparkListenerStageCompleted completed) {
                    ShuffleWriteMetrics written =
                            completed.stageInfo().taskMetrics().shuffleWriteMetrics();
                    if (written.recordsWritten() > 0) {
                        bytes.put(
                                completed.stageInfo().stageId(),
                                (double) written.bytesWritten() / written.recordsWritten());
                    }
                }
            });
            run(context, results, Path.of(arguments[1]));
        }
        List<Double> inOrder = bytes.keySet().stream().sorted().map(bytes::get).toList();
        results.put("bytes of a record", inOrder);
        double unnumbered = inOrder.get(inOrder.size() - 1);
        double numbered = inOrder.get(inOrder.size() - 2);
        results.put("less than half", numbered < unnumbered / 2);
        results.write(arguments[0]);
    }

    private static void run(JavaSparkContext context, Results results, Path folder) {
        JavaPairRDD<String, Iterable<String>> links = context.parallelize(
                        IntStream.range(0, PAGES).boxed().toList(), PARTITIONS)
                .flatMapToPair(page -> targets(page).stream()
                        .map(target -> new Tuple2<>(url(page), url(target)))
                        .iterator())
                .groupByKey(PARTITIONS)
                .cache();
        JavaPairRDD<String, Double> ranks = links.mapValues(any -> 1.0);
        for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
            JavaPairRDD<String, Double> before = ranks;
            ranks = links.join(before)
                    .values()
                    .flatMapToPair(page -> {
                        List<Tuple2<String, Double>> given = new ArrayList<>();
                        page._1().forEach(target -> given.add(new Tuple2<>(target, page._2() / LINKS)));
                        return given.iterator();
                    })
                    .reduceByKey(Double::sum, PARTITIONS)
                    .mapValues(rank -> 0.15 + 0.85 * rank);
            // A job for each iteration, as programs have that look whether they are done.
            ranks.cache();
            ranks.count();
            if (iteration == ITERATIONS - 1) {
                String marker = folder.resolve("died").toString();
                context.parallelize(List.of(1, 2), 2).foreach(any -> DyingExecutors.dieOnce(marker, "KILL"));
            }
        }
        Map<String, Double> found = ranks.collectAsMap();
        Map<String, Double> expected = expected();
        // Keys that are no strings have no numbers.
        ranks.mapToPair(rank -> new Tuple2<>(new Page(rank._1()), rank._2()))
                .partitionBy(new HashPartitioner(PARTITIONS))
                .count();
        results.put("pages", found.size());
        results.put(
                "right",
                found.entrySet().stream()
                        .filter(page -> Math.abs(page.getValue() - expected.get(page.getKey())) < 1e-9)
                        .count());
    }

    private static List<Integer> targets(int page) {
        return IntStream.range(0, LINKS)
                .mapToObj(link -> (int) ((page * 31L + link * 997L * (page % 11 + 1)) % PAGES))
                .toList();
    }

    private static String url(int page) {
        return "http://www.site-" + page % 97 + ".example.org/section/" + page % 13 + "/page-" + page + ".html";
    }

    private static Map<String, Double> expected() {
        Map<Integer, Double> ranks = new HashMap<>();
        IntStream.range(0, PAGES).forEach(page -> ranks.put(page, 1.0));
        for (int iteration = 0; iteration < ITERATIONS; iteration++) {
            Map<Integer, Double> received = new HashMap<>();
            ranks.forEach(
                    (page, rank) -> targets(page).forEach(target -> received.merge(target, rank / LINKS, Double::sum)));
            ranks.clear();
            received.forEach((page, sum) -> ranks.put(page, 0.15 + 0.85 * sum));
        }
        Map<String, Double> byUrl = new HashMap<>();
        ranks.forEach((page, rank) -> byUrl.put(url(page), rank));
        return byUrl;
    }
}
