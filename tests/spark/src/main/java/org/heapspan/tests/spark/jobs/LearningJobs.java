package org.heapspan.tests.spark.jobs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.mllib.clustering.KMeans;
import org.apache.spark.mllib.clustering.KMeansModel;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.regression.LabeledPoint;
import org.apache.spark.mllib.tree.RandomForest;
import org.apache.spark.mllib.tree.model.RandomForestModel;

/**
 * Learns from rows that a repartition has distributed. Which rows are in a partition does not depend on a run, but their order does, because blocks
 * are taken as they arrive; what MLlib learns depends on it. So they are sorted, and what is learned must be the same to the last bit.
 */
final class LearningJobs {
    private static final int POINTS = 6_000;
    private static final int MAPPERS = 8;
    private static final int PARTITIONS = 3;
    private static final int CLUSTERS = 7;
    private static final int SEED = 42;

    private LearningJobs() {}

    static void run(JavaSparkContext context, Results results) {
        JavaRDD<LabeledPoint> rows = context.parallelize(
                        IntStream.range(0, POINTS).boxed().toList(), MAPPERS)
                .map(LearningJobs::point)
                .repartition(PARTITIONS)
                .mapPartitions(LearningJobs::sorted)
                .cache();
        List<LabeledPoint> all = rows.collect();
        results.putAll("learning, rows", all.stream().map(LearningJobs::bits).toList());
        KMeansModel clusters = KMeans.train(rows.map(LabeledPoint::features).rdd(), CLUSTERS, 20, "k-means||", SEED);
        results.put(
                "learning, centres",
                Arrays.stream(clusters.clusterCenters())
                        .map(LearningJobs::bits)
                        .sorted()
                        .collect(Collectors.joining(" ")));
        results.put("learning, cost", Double.doubleToLongBits(cost(all, clusters)));
        RandomForestModel forest =
                RandomForest.trainClassifier(rows, 2, new HashMap<>(), 5, "auto", "gini", 4, 16, SEED);
        List<Double> predicted =
                all.stream().map(point -> forest.predict(point.features())).toList();
        results.put("learning, forest", forest.totalNumNodes() + " nodes " + predicted.hashCode());
        rows.unpersist(true);
    }

    /** Around one of several centres; sums of the coordinates are exact, in whatever order they are added. */
    private static LabeledPoint point(int number) {
        SplittableRandom random = new SplittableRandom(SEED + number);
        int cluster = random.nextInt(CLUSTERS + 2);
        double[] features = new double[5];
        for (int i = 0; i < features.length; i++) {
            int noise = random.nextInt(1024) + random.nextInt(1024) + random.nextInt(1024) - 1536;
            features[i] = cluster * (i + 1) % 5 + noise / 512.0;
        }
        return new LabeledPoint((cluster + (random.nextInt(20) == 0 ? 1 : 0)) % 2, Vectors.dense(features));
    }

    private static Iterator<LabeledPoint> sorted(Iterator<LabeledPoint> rows) {
        List<LabeledPoint> all = new ArrayList<>();
        rows.forEachRemaining(all::add);
        all.sort(Comparator.comparingDouble(LabeledPoint::label)
                .thenComparing(row -> row.features().toArray(), Arrays::compare));
        return all.iterator();
    }

    private static String bits(LabeledPoint point) {
        return point.label() + " " + bits(point.features());
    }

    /** To the last bit, and the same on all JDKs. */
    private static String bits(Vector vector) {
        return Arrays.stream(vector.toArray())
                .mapToObj(value -> Long.toHexString(Double.doubleToLongBits(value)))
                .collect(Collectors.joining(" "));
    }

    /** Added up in one order. */
    private static double cost(List<LabeledPoint> points, KMeansModel clusters) {
        Vector[] centres = clusters.clusterCenters();
        return points.stream()
                .mapToDouble(point -> Vectors.sqdist(point.features(), centres[clusters.predict(point.features())]))
                .sorted()
                .sum();
    }
}
