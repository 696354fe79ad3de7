package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Pipelines of operations by key, drawn at random: kinds of keys and values, how they lie in partitions, skew, the number of partitions, and a second operation
 * on what the first has made. What a pipeline does depends on its seed alone. Nine seeds in a row have all first operations.
 */
final class RandomPipelines {
    private static final int MOST_RECORDS = 6000;
    private static final int OPERATIONS = 9;

    private final JavaSparkContext context;

    RandomPipelines(JavaSparkContext context) {
        this.context = context;
    }

    /** A key with few hash codes, which is equal to others of its number. */
    record Key(int number, String text) implements Serializable {
        @Override
        public int hashCode() {
            return number % 11;
        }
    }

    /** A value of an object with parts. */
    record Event(long id, String name, List<Integer> parts) implements Serializable {}

    /** Nodes that refer to one another. */
    static final class Node implements Serializable, Comparable<Node> {
        private static final long serialVersionUID = 1L;

        final int number;
        Node next;

        Node(int number) {
            this.number = number;
            next = this;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Node node && node.number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }

        @Override
        public int compareTo(Node other) {
            return Integer.compare(number, other.number);
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // A node may refer to itself, and an equal node is not enough.
        public String toString() {
            return "node " + number + (next == this ? "" : " of " + next.number);
        }
    }

    /** Makes keys or values of a kind. */
    private interface Kind extends Serializable {
        Object of(int number);
    }

    /**
     * Keys for which stock Spark has the same result wherever it spills. A cogroup may have two kinds of keys. So no number is equal to one of another class, which
     * Spark takes for one key only where it merges what it has spilled. And a pipeline has either the key null or negative hash codes: with both, Spark may return a
     * key twice.
     */
    private static Kind key(Random random, boolean negative) {
        int sign = negative ? -1 : 1;
        return switch (random.nextInt(6)) {
            case 0 -> number -> sign * number;
            case 1 -> number -> (long) number * 7919 + (1L << 40) + (negative ? 1L << 31 : 0);
            case 2 -> number -> (negative ? "key number " : "k") + number;
            case 3 -> number -> negative || number % 13 != 0 ? (Object) (sign * number) : null;
            case 4 -> number -> new Key(sign * number, "text " + number % 17);
            default -> number -> new Node(sign * number);
        };
    }

    /** Keys that can be sorted, of positive and negative numbers. */
    private static Kind sortedKey(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> number -> "k" + number;
            case 1 -> number -> number;
            case 2 -> number -> number * (1L << 31);
            default -> Node::new;
        };
    }

    private static JavaPairRDD<Object, Object> toSort(JavaPairRDD<Object, Object> pairs, Random random) {
        Kind key = sortedKey(random);
        return pairs.mapToPair(pair -> new Tuple2<>(key.of(text(pair._1()).hashCode() % 1000), pair._2()));
    }

    private static Kind value(Random random) {
        return switch (random.nextInt(7)) {
            case 0 -> number -> number;
            case 1 -> number -> "value " + number + "x".repeat(number % 100);
            case 2 -> number -> number % 5 == 0 ? null : "value " + number;
            case 3 -> number -> new Event(number, "event " + number, Arrays.asList(number, number + 1, number % 3));
            case 4 ->
                number -> {
                    Node node = new Node(number);
                    node.next = new Node(number / 2);
                    node.next.next = node;
                    return node;
                };
            case 5 -> number -> number % 500 == 3 ? "large " + "y".repeat(200_000) + number : "small " + number;
            default -> number -> List.of(number / 2.0, "in a list");
        };
    }

    /** Runs a pipeline; what it is, and what came out. */
    Map.Entry<String, String> run(long seed) {
        Random random = new Random(seed);
        StringBuilder what = new StringBuilder();
        boolean negative = random.nextBoolean();
        JavaPairRDD<Object, Object> first = pairs(random, negative, what);
        List<String> lines = switch (Math.floorMod(seed, OPERATIONS)) {
            case 0 -> {
                what.append(", groupByKey");
                yield lines(then(groups(first.groupByKey(1 + random.nextInt(7))), random, what));
            }
            case 1 -> {
                what.append(", reduceByKey");
                yield lines(then(
                        first.mapValues(RandomPipelines::text)
                                .reduceByKey(new HashPartitioner(1 + random.nextInt(7)), RandomPipelines::larger)
                                .mapValues(value -> (Object) value),
                        random,
                        what));
            }
            case 2 -> {
                what.append(", aggregateByKey to sets");
                yield lines(then(sets(first, 1 + random.nextInt(7)), random, what));
            }
            case 3 -> {
                what.append(", combineByKey to maps that grow");
                yield lines(maps(first, 1 + random.nextInt(7), random.nextBoolean()));
            }
            case 4 -> {
                what.append(", cogroup");
                JavaPairRDD<Object, Object> second = pairs(random, negative, what);
                yield lines(first.cogroup(second, 1 + random.nextInt(5))
                        .mapValues(both -> sorted(both._1()) + " and " + sorted(both._2())));
            }
            case 5 -> {
                what.append(", distinct");
                yield lines(first.mapToPair(pair -> new Tuple2<>(text(pair._1()), text(pair._2())))
                        .distinct(1 + random.nextInt(6)));
            }
            case 6 -> {
                what.append(", sortByKey");
                yield inOrder(toSort(first, random).sortByKey(random.nextBoolean(), 1 + random.nextInt(5)));
            }
            case 7 -> {
                what.append(", repartitionAndSortWithinPartitions");
                yield inOrder(toSort(first, random)
                        .repartitionAndSortWithinPartitions(
                                new HashPartitioner(1 + random.nextInt(5)), Collections.reverseOrder()));
            }
            default -> {
                what.append(", join of groups");
                JavaPairRDD<Object, Object> second = pairs(random, negative, what)
                        .mapValues(RandomPipelines::text)
                        .reduceByKey(RandomPipelines::larger)
                        .mapValues(value -> (Object) value);
                yield lines(first.groupByKey()
                        .join(second, 1 + random.nextInt(5))
                        .mapValues(both -> sorted(both._1()) + " with " + text(both._2())));
            }
        };
        return Map.entry(what.toString(), lines.size() + " lines, " + Results.digest(lines));
    }

    private JavaPairRDD<Object, Object> pairs(Random random, boolean negative, StringBuilder what) {
        int records = 1 + random.nextInt(MOST_RECORDS);
        int keys = 1 + random.nextInt(records);
        int partitions = 1 + random.nextInt(5);
        int skew = random.nextInt(3);
        long salt = random.nextInt();
        Kind key = key(random, negative);
        Kind value = value(random);
        what.append(what.isEmpty() ? "" : " and ")
                .append(records)
                .append(" pairs of ")
                .append(keys)
                .append(" keys");
        what.append(skew == 0 ? ", one with nine tenths" : "");
        return context.parallelize(IntStream.range(0, records).boxed().toList(), partitions)
                .mapToPair(number -> {
                    int drawn = new Random(salt * 31 + number).nextInt(keys);
                    return new Tuple2<>(key.of(skew == 0 && number % 10 != 0 ? 0 : drawn), value.of(number));
                });
    }

    private static JavaPairRDD<Object, Object> groups(JavaPairRDD<Object, Iterable<Object>> grouped) {
        return grouped.mapValues(RandomPipelines::sorted).mapValues(value -> (Object) value);
    }

    private static JavaPairRDD<Object, Object> sets(JavaPairRDD<Object, Object> pairs, int partitions) {
        return pairs.aggregateByKey(
                        new HashSet<String>(),
                        partitions,
                        (set, value) -> {
                            set.add(text(value));
                            return set;
                        },
                        (left, right) -> {
                            left.addAll(right);
                            return left;
                        })
                .mapValues(set -> (Object) set.stream().sorted().toList().toString());
    }

    private static JavaPairRDD<Object, Object> maps(
            JavaPairRDD<Object, Object> pairs, int partitions, boolean mapSide) {
        return pairs.<HashMap<String, Long>>combineByKey(
                        value -> new HashMap<>(Map.of(text(value), 1L)),
                        (map, value) -> {
                            map.merge(text(value), 1L, Long::sum);
                            return map;
                        },
                        (left, right) -> {
                            right.forEach((value, count) -> left.merge(value, count, Long::sum));
                            return left;
                        },
                        new HashPartitioner(partitions),
                        mapSide,
                        null)
                .mapValues(map -> (Object) new TreeMap<>(map).toString());
    }

    /** Another operation on the result, or none. */
    private static JavaPairRDD<Object, Object> then(
            JavaPairRDD<Object, Object> pairs, Random random, StringBuilder what) {
        return switch (random.nextInt(3)) {
            case 0 -> {
                what.append(", then reduceByKey");
                yield pairs.mapToPair(pair -> new Tuple2<>(
                                (Object) (text(pair._1()).hashCode() % 50),
                                text(pair._2()).length()))
                        .reduceByKey(Integer::sum)
                        .mapValues(sum -> (Object) sum);
            }
            case 1 -> {
                what.append(", then groupByKey");
                yield groups(pairs.mapToPair(
                                pair -> new Tuple2<>((Object) (text(pair._2()).length() % 20), pair._1()))
                        .groupByKey(3));
            }
            default -> pairs;
        };
    }

    private static String larger(String left, String right) {
        return left.compareTo(right) > 0 ? left : right;
    }

    private static String text(Object object) {
        return String.valueOf(object);
    }

    private static String sorted(Iterable<?> values) {
        List<String> texts = new ArrayList<>();
        values.forEach(value -> texts.add(text(value)));
        texts.sort(Comparator.naturalOrder());
        return texts.toString();
    }

    /** Of every partition, in whatever order. */
    private static List<String> lines(JavaPairRDD<?, ?> pairs) {
        return pairs.map(pair -> text(pair._1()) + ": " + text(pair._2())).collect().stream()
                .sorted()
                .toList();
    }

    /** In the order of keys; values of the same key are in none. */
    private static List<String> inOrder(JavaPairRDD<Object, Object> pairs) {
        List<String> lines = new ArrayList<>();
        Map<String, List<String>> run = new LinkedHashMap<>();
        for (Tuple2<String, String> pair : pairs.mapToPair(pair -> new Tuple2<>(text(pair._1()), text(pair._2())))
                .collect()) {
            if (!run.containsKey(pair._1())) {
                run.forEach((key, values) -> lines.add(lines.size() + ". " + key + ": "
                        + values.stream().sorted().toList()));
                run.clear();
            }
            run.computeIfAbsent(pair._1(), any -> new ArrayList<>()).add(pair._2());
        }
        run.forEach((key, values) -> lines.add(
                lines.size() + ". " + key + ": " + values.stream().sorted().toList()));
        return lines;
    }
}
