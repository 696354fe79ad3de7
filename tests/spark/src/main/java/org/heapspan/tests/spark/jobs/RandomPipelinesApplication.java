package org.heapspan.tests.spark.jobs;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Runs random pipelines with Heapspan, with all memory, and with so little that tasks spill, and then on Spark as it is. Arguments: file for what
 * differs, first seed, how many pipelines.
 */
public final class RandomPipelinesApplication {
    private RandomPipelinesApplication() {}

    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[1]);
        int count = Integer.parseInt(arguments[2]);
        Results results = new Results();
        Map<String, String> little = Map.of(
                "spark.testing.memory",
                String.valueOf(1 << 20),
                "spark.testing.reservedMemory",
                "0",
                "spark.shuffle.spill.initialMemoryThreshold",
                "8000");
        // The first SparkContext of a JVM decides whether Heapspan's size estimator works in it.
        Map<Long, Map.Entry<String, String>> roomy = run(Map.of(), first, count, results, "roomy");
        Map<Long, Map.Entry<String, String>> tight = run(little, first, count, results, "little memory");
        Map<Long, Map.Entry<String, String>> expected =
                run(Map.of("spark.plugins", ""), first, count, results, "stock");
        compare("roomy", roomy, expected, results);
        compare("little memory", tight, expected, results);
        results.write(arguments[0]);
    }

    private static Map<Long, Map.Entry<String, String>> run(
            Map<String, String> settings, long first, int count, Results results, String name) {
        SparkConf conf = new SparkConf();
        settings.forEach(conf::set);
        ShuffleTotals totals = new ShuffleTotals();
        Map<Long, Map.Entry<String, String>> found = new LinkedHashMap<>();
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            context.sc().addSparkListener(totals);
            RandomPipelines pipelines = new RandomPipelines(context);
            for (long seed = first; seed < first + count; seed++) {
                found.put(seed, pipelines.run(seed));
            }
        }
        results.put(name + ": spilled", totals.spilled());
        results.put(name + ": records", totals.records());
        return found;
    }

    private static void compare(
            String name,
            Map<Long, Map.Entry<String, String>> found,
            Map<Long, Map.Entry<String, String>> expected,
            Results results) {
        Map<String, String> differences = new TreeMap<>();
        found.forEach((seed, pipeline) -> {
            Map.Entry<String, String> wanted = expected.get(seed);
            if (!pipeline.equals(wanted)) {
                differences.put(
                        "seed " + seed + " (" + pipeline.getKey() + ")",
                        pipeline.getValue() + ", expected " + wanted.getValue());
            }
        });
        results.put(name + ": pipelines", found.size());
        results.put(name + ": results that differ", differences);
    }
}
