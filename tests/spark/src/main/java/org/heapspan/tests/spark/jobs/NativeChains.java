package org.heapspan.tests.spark.jobs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.Optional;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/**
 * Chains of operators, drawn at random, as a native program ({@code chains.cpp}) and as RDDs of Java. What a chain does depends on its seed alone. The
 * results must not depend on the order of rows in a partition or on the hash codes of keys, which differ.
 */
final class NativeChains {
    private static final int SOURCES = 3;
    private static final int MOST_ROWS = 120;
    private static final int MOST_STEPS = 6;
    private static final int MOST_PARTITIONS = 4;

    /** How often the rows of a chain may have been multiplied, so that it ends soon. */
    private static final int MOST_GROWTH = 4;

    /** All operators, with what each adds to the growth; those that bring rows of a key together have none. */
    private static final Map<String, Integer> OPERATORS = new TreeMap<>(Map.ofEntries(
            Map.entry("map", 0),
            Map.entry("filter", 0),
            Map.entry("flat_map", 1),
            Map.entry("map_values", 0),
            Map.entry("flat_map_values", 1),
            Map.entry("map_partitions", 0),
            Map.entry("key_by", 0),
            Map.entry("sample", 0),
            Map.entry("persist", 0),
            Map.entry("union_with", 1),
            Map.entry("repartition", 0),
            Map.entry("coalesce", 0),
            Map.entry("zip", 0),
            Map.entry("cartesian", 2),
            Map.entry("sort_by", 0),
            Map.entry("sort_by_key", 0),
            Map.entry("distinct", 0),
            Map.entry("partition_by", 0),
            Map.entry("reduce_by_key", 0),
            Map.entry("fold_by_key", 0),
            Map.entry("aggregate_by_key", 0),
            Map.entry("combine_by_key", 0),
            Map.entry("group_by_key", 0),
            Map.entry("cogroup", 0),
            Map.entry("join", 2),
            Map.entry("left_outer_join", 2),
            Map.entry("right_outer_join", 2),
            Map.entry("full_outer_join", 2),
            Map.entry("subtract_by_key", 0)));

    private final JavaSparkContext context;
    private final String program;

    /**
     * Says where the program is.
     *
     * @param program compiled of {@code chains.cpp}
     */
    NativeChains(JavaSparkContext context, String program) {
        this.context = context;
        this.program = program;
    }

    /** One operator, what it works on, and its parameters. */
    private record Step(String operator, int one, int other, int partitions, int number) {
        String text() {
            return operator + "," + one + "," + other + "," + partitions + "," + number;
        }
    }

    /**
     * Runs the chains of seeds.
     *
     * @param operators gets how often each operator was drawn
     * @return the chains whose rows differ, with their seeds; empty if none do
     */
    List<String> differing(int firstSeed, int count, Map<String, Integer> operators) throws Exception {
        Random random = new Random(firstSeed);
        List<JavaPairRDD<Long, String>> sources = new ArrayList<>();
        Map<String, Object> inputs = new TreeMap<>();
        for (int i = 0; i < SOURCES; i++) {
            sources.add(source(random));
            inputs.put("source-" + i, sources.get(i));
        }
        List<List<Step>> chains = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chains.add(draw(new Random(firstSeed + i)));
            chains.get(i).forEach(step -> operators.merge(step.operator, 1, Integer::sum));
        }
        String[] texts = chains.stream().map(NativeChains::text).toArray(String[]::new);
        Map<Integer, List<String>> found = rows(
                NativeProgramApplication.result(NativeProgramApplication.run(context, program, inputs, texts), "rows")
                        .toJavaRDD());
        JavaRDD<Tuple2<Long, Tuple2<Long, String>>> twins = context.emptyRDD();
        for (int i = 0; i < count; i++) {
            long number = i;
            twins = twins.union(lastOf(chains.get(i), sources).map(row -> new Tuple2<>(number, row)));
        }
        Map<Integer, List<String>> expected = rows(twins);
        List<String> differing = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String difference = NativeProgramApplication.same(
                    expected.getOrDefault(i, List.of()), found.getOrDefault(i, List.of()));
            if (!difference.equals("same")) {
                differing.add("seed " + (firstSeed + i) + ", sources of seed " + firstSeed + ": " + texts[i] + ": "
                        + difference);
            }
        }
        context.getPersistentRDDs().values().forEach(JavaRDD::unpersist);
        return differing;
    }

    private JavaPairRDD<Long, String> source(Random random) {
        List<Tuple2<Long, String>> rows = new ArrayList<>();
        int keys = 20 + random.nextInt(60);
        for (int i = random.nextInt(MOST_ROWS); i > 0; i--) {
            String letter = String.valueOf((char) ('a' + random.nextInt(26)));
            rows.add(new Tuple2<>(random.nextInt(keys) - 10L, letter.repeat(random.nextInt(random.nextInt(30) + 1))));
        }
        return context.parallelizePairs(rows, 1 + random.nextInt(MOST_PARTITIONS));
    }

    private static List<Step> draw(Random random) {
        List<String> names = List.copyOf(OPERATORS.keySet());
        List<Step> steps = new ArrayList<>();
        List<Integer> growths = new ArrayList<>(Collections.nCopies(SOURCES, 0));
        int length = 1 + random.nextInt(MOST_STEPS);
        while (steps.size() < length) {
            int made = growths.size();
            // The chain goes on with its last rows, or joins older ones.
            int one = random.nextInt(4) == 0 ? random.nextInt(made) : made - 1;
            Step step = new Step(
                    names.get(random.nextInt(names.size())),
                    one,
                    random.nextInt(made),
                    1 + random.nextInt(MOST_PARTITIONS),
                    1 + random.nextInt(3));
            int growth = OPERATORS.get(step.operator) + growths.get(one) + growths.get(step.other);
            if (growth <= MOST_GROWTH) {
                steps.add(step);
                growths.add(growth);
            }
        }
        return steps;
    }

    private static String text(List<Step> steps) {
        return steps.stream().map(Step::text).collect(Collectors.joining(";"));
    }

    /** The rows of each chain as text, sorted. */
    private static Map<Integer, List<String>> rows(JavaRDD<?> all) {
        return all
                .map(each -> (Tuple2<?, ?>) each)
                .mapToPair(each -> new Tuple2<>(((Long) each._1()).intValue(), String.valueOf(each._2())))
                .collect()
                .stream()
                .collect(Collectors.groupingBy(
                        Tuple2::_1,
                        Collectors.mapping(
                                Tuple2::_2,
                                Collectors.collectingAndThen(
                                        Collectors.toList(),
                                        rows -> rows.stream().sorted().toList()))));
    }

    private static JavaPairRDD<Long, String> lastOf(List<Step> steps, List<JavaPairRDD<Long, String>> sources) {
        List<JavaPairRDD<Long, String>> made = new ArrayList<>(sources);
        for (Step step : steps) {
            made.add(apply(step, made.get(step.one), made.get(step.other)));
        }
        return made.get(made.size() - 1);
    }

    private static JavaPairRDD<Long, String> apply(
            Step step, JavaPairRDD<Long, String> one, JavaPairRDD<Long, String> other) {
        int partitions = step.partitions;
        long number = step.number;
        return switch (step.operator) {
            case "map" -> one.mapToPair(row -> row(row._1() / number, row._2()));
            case "filter" -> one.filter(row -> row._1() % (number + 1) != 0);
            case "flat_map" ->
                one.flatMapToPair(row ->
                        Collections.nCopies((int) (row._1() & 1) * 2, row).iterator());
            case "map_values" -> one.mapValues(value -> value + "+");
            case "flat_map_values" ->
                one.flatMapValues(value ->
                        List.of(start(value), String.valueOf(value.length())).iterator());
            case "map_partitions" ->
                one.mapPartitionsToPair(part -> {
                    List<Tuple2<Long, String>> rows = new ArrayList<>();
                    part.forEachRemaining(row -> rows.add(row(row._1(), row._2() + "p")));
                    return rows.iterator();
                });
            case "key_by" -> one.mapToPair(row -> row(row._1() % 7, row._1() + row._2()));
            case "sample" -> one.sample(false, number % 2 == 0 ? 1.0 : 0.0, 42);
            case "persist" -> one.mapValues(value -> value).persist(level(step.number));
            case "union_with" -> one.union(other);
            case "repartition" -> one.repartition(partitions);
            case "coalesce" -> one.coalesce(partitions);
            case "zip" -> {
                JavaPairRDD<Long, String> kept = one.mapValues(value -> value).persist(StorageLevel.MEMORY_AND_DISK());
                yield kept.zip(kept.map(row -> row._2().length()))
                        .mapToPair(both -> row(both._1()._1(), both._1()._2() + both._2()));
            }
            case "cartesian" ->
                one.filter(row -> row._1() % 4 == 0)
                        .cartesian(other.filter(row -> row._1() % 4 == 0))
                        .mapToPair(both -> row(
                                both._1()._1() * 1000 + both._2()._1(),
                                start(both._1()._2()) + start(both._2()._2())));
            case "sort_by" ->
                places(one.map(row -> row)
                        // Texts have letters, digits and signs only: the number of the same width orders as it would
                        // alone.
                        .sortBy(
                                row -> row._2() + "\0" + String.format("%020d", row._1() + (1L << 62)),
                                true,
                                partitions));
            case "sort_by_key" ->
                places(one.reduceByKey(NativeChains::last)
                        .sortByKey(number % 2 == 0, partitions)
                        .map(row -> row));
            case "distinct" -> one.distinct(partitions);
            case "partition_by" -> one.partitionBy(new org.apache.spark.HashPartitioner(partitions));
            case "reduce_by_key" -> one.reduceByKey(NativeChains::last, partitions);
            case "fold_by_key" -> one.foldByKey("m", partitions, NativeChains::last);
            case "aggregate_by_key" ->
                one.aggregateByKey(0L, partitions, (sum, value) -> sum + value.length(), Long::sum)
                        .mapValues(String::valueOf);
            case "combine_by_key" ->
                one.combineByKey(value -> 1L, (count, value) -> count + 1, Long::sum, partitions)
                        .mapValues(String::valueOf);
            case "group_by_key" ->
                one.groupByKey(partitions).mapValues(values -> {
                    List<String> sorted = StreamSupport.stream(values.spliterator(), false)
                            .sorted()
                            .toList();
                    return sorted.get(0) + sorted.size() + sorted.get(sorted.size() - 1);
                });
            case "cogroup" -> one.cogroup(other, partitions).mapValues(both -> size(both._1()) + "/" + size(both._2()));
            case "join" -> one.join(other, partitions).mapValues(both -> start(both._1()) + both._2());
            case "left_outer_join" ->
                one.leftOuterJoin(other, partitions).mapValues(both -> both._1() + start(both._2()));
            case "right_outer_join" ->
                one.rightOuterJoin(other, partitions).mapValues(both -> start(both._1()) + both._2());
            case "full_outer_join" ->
                one.fullOuterJoin(other, partitions).mapValues(both -> start(both._1()) + start(both._2()));
            case "subtract_by_key" -> one.subtractByKey(other, partitions);
            default -> throw new IllegalArgumentException(step.operator);
        };
    }

    private static Tuple2<Long, String> row(Long key, String value) {
        return new Tuple2<>(key, value);
    }

    private static String start(String text) {
        return text.substring(0, Math.min(2, text.length()));
    }

    private static String start(Optional<String> text) {
        return text.isPresent() ? start(text.get()) : "-";
    }

    private static String last(String a, String b) {
        return a.compareTo(b) < 0 ? b : a;
    }

    private static long size(Iterable<?> values) {
        return StreamSupport.stream(values.spliterator(), false).count();
    }

    /** The place of each row in an order. */
    private static JavaPairRDD<Long, String> places(JavaRDD<Tuple2<Long, String>> sorted) {
        return sorted.zipWithIndex()
                .mapToPair(pair -> row(pair._2(), pair._1()._2() + pair._1()._1()));
    }

    private static StorageLevel level(int number) {
        return switch (number) {
            case 1 -> StorageLevel.MEMORY_ONLY();
            case 2 -> StorageLevel.MEMORY_AND_DISK();
            default -> StorageLevel.DISK_ONLY();
        };
    }
}
