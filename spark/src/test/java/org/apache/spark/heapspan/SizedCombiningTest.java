package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.Aggregator;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.shuffle.ShuffleWriteProcessor;
import org.apache.spark.util.collection.CompactBuffer;
import org.heapspan.spark.HeapspanSerializer;
import org.heapspan.spark.aggregate.MeasuredCombiners;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Function2;
import scala.Option;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractFunction2;

/** What tasks combine, with Spark's own accounts of memory, beside what Spark's aggregator makes of the same. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class SizedCombiningTest {
    private static final int ALL_BYTES = 64 << 20;
    private static final int VALUES = 3000;
    private static final int KEYS = 700;

    @TempDir
    static java.nio.file.Path folder;

    private static SparkContext spark;

    private final TaskMemoryManager memory =
            new TaskMemoryManager(new UnifiedMemoryManager(new SparkConf(false), ALL_BYTES, 0, 1), 0);

    @SuppressWarnings("NullAway") // No system of metrics, and no resources.
    private final TaskContext task = new TaskContextImpl(
            0,
            0,
            0,
            0,
            0,
            1,
            memory,
            new Properties(),
            null,
            TaskMetrics.empty(),
            scala.math.BigDecimal.exact(1),
            scala.collection.immutable.Map$.MODULE$.empty());

    private final Neighbour neighbour = new Neighbour(memory);

    /** Called within the merging of values. */
    private Runnable merging = () -> {};

    private final Aggregator<Object, String, List<String>> stock = aggregator(
            value -> new ArrayList<>(List.of(value)),
            (combiner, value) -> {
                merging.run();
                combiner.add(value);
                return combiner;
            },
            (combiner, other) -> {
                combiner.addAll(other);
                return combiner;
            });

    private final Aggregator<Object, String, List<String>> ours = sized(stock);

    private static <V, C> Aggregator<Object, V, C> aggregator(
            Function<V, C> creating, BiFunction<C, V, C> merging, BinaryOperator<C> mergingCombiners) {
        return new Aggregator<>(
                new AbstractFunction1<V, C>() {
                    @Override
                    public C apply(V value) {
                        return creating.apply(value);
                    }
                },
                function(merging),
                function(mergingCombiners));
    }

    private static <C, V> Function2<C, V, C> function(BiFunction<C, V, C> function) {
        return new AbstractFunction2<>() {
            @Override
            public C apply(C combiner, V value) {
                return function.apply(combiner, value);
            }
        };
    }

    /** What groupByKey combines with. */
    private static Aggregator<Object, Object, CompactBuffer<Object>> grouping() {
        return aggregator(
                value -> new CompactBuffer<>(ClassTag$.MODULE$.Object()).$plus$eq(value),
                CompactBuffer::$plus$eq,
                CompactBuffer::$plus$plus$eq);
    }

    private static <V, C> Aggregator<Object, V, C> sized(Aggregator<Object, V, C> aggregator) {
        return new SizedAggregator<>(aggregator, new MeasuredCombiners());
    }

    /** Another part of the same task that wants memory. */
    private static final class Neighbour extends MemoryConsumer {
        Neighbour(TaskMemoryManager task) {
            super(task, MemoryMode.ON_HEAP);
        }

        @Override
        public long spill(long bytes, MemoryConsumer trigger) {
            return 0;
        }
    }

    /** A key whose hash code others have, too. */
    record Key(int number) {
        @Override
        public int hashCode() {
            return number % 5;
        }
    }

    @BeforeAll
    static void start() {
        spark = new SparkContext(LocalConf.of(folder, "combining")
                .set("spark.serializer", "org.heapspan.spark.HeapspanSerializer")
                .set(HeapspanShuffleManager.KEY, HeapspanShuffleManager.class.getName())
                .set("spark.shuffle.spill.initialMemoryThreshold", "16384"));
    }

    @BeforeEach
    void begin() {
        TaskContext$.MODULE$.setTaskContext(task);
    }

    @AfterEach
    void end() {
        TaskContext$.MODULE$.unset();
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static @Nullable Object key(int number) {
        return switch (number % KEYS) {
            case 0 -> null;
            case 1, 2, 3 -> (long) (number % KEYS);
            default -> new Key(number % KEYS);
        };
    }

    private static <V> Iterator<Product2<Object, V>> pairs(
            int count, IntFunction<@Nullable Object> key, IntFunction<V> value) {
        return new AbstractIterator<>() {
            private int number;

            @Override
            public boolean hasNext() {
                return number < count;
            }

            @Override
            @SuppressWarnings("NullAway") // Null is a key.
            public Product2<Object, V> next() {
                Product2<Object, V> pair = new Tuple2<>(key.apply(number), value.apply(number));
                number++;
                return pair;
            }
        };
    }

    /** Some values; with each of them something may happen. */
    private static Iterator<Product2<Object, String>> values(IntConsumer happening) {
        return pairs(VALUES, SizedCombiningTest::key, number -> {
            happening.accept(number);
            return "value " + number;
        });
    }

    private static Map<String, List<String>> content(Iterator<Tuple2<Object, List<String>>> combined) {
        Map<String, List<String>> content = new TreeMap<>();
        while (combined.hasNext()) {
            Tuple2<Object, List<String>> entry = combined.next();
            List<String> sorted = entry._2().stream().sorted().toList();
            assertThat(content.put(String.valueOf(entry._1()), sorted))
                    .as("a key twice")
                    .isNull();
        }
        return content;
    }

    private static Map<String, List<String>> expected() {
        return expected(SizedCombiningTest::key);
    }

    private static Map<String, List<String>> expected(IntFunction<@Nullable Object> key) {
        Map<String, List<String>> expected = new TreeMap<>();
        IntStream.range(0, VALUES)
                .mapToObj(Integer::valueOf)
                .forEach(number -> expected.computeIfAbsent(String.valueOf(key.apply(number)), any -> new ArrayList<>())
                        .add("value " + number));
        expected.replaceAll((any, values) -> values.stream().sorted().toList());
        return expected;
    }

    @Test
    void withRoomTheEntriesComeInTheOrderOfSparks() {
        List<Object> keys = new ArrayList<>();
        Iterator<Tuple2<Object, List<String>>> combined = ours.combineValuesByKey(values(number -> {}), task);
        Iterator<Tuple2<Object, List<String>>> ofSpark = stock.combineValuesByKey(values(number -> {}), task);
        while (combined.hasNext()) {
            Tuple2<Object, List<String>> entry = combined.next();
            keys.add(entry._1());
            assertThat(entry).isEqualTo(ofSpark.next());
        }
        assertThat(ofSpark.hasNext()).isFalse();
        assertThat(keys).hasSize(KEYS);
        assertThat(task.taskMetrics().memoryBytesSpilled()).isZero();
        assertThat(task.taskMetrics().peakExecutionMemory()).isGreaterThan(2 * KEYS * 200L);
        assertThat(memory.getMemoryConsumptionForThisTask())
                .as("bytes given back")
                .isZero();
    }

    @Test
    void withoutRoomItSpillsAsOftenAsNeeded() {
        neighbour.acquireMemory(ALL_BYTES - 100_000);
        assertThat(content(ours.combineValuesByKey(values(number -> {}), task))).isEqualTo(expected());
        assertThat(task.taskMetrics().memoryBytesSpilled()).isGreaterThan(200_000);
        assertThat(task.taskMetrics().diskBytesSpilled()).isGreaterThan(10_000);
        assertThat(task.taskMetrics().peakExecutionMemory()).isBetween(50_000L, 400_000L);
    }

    /** One key has nine tenths of the values. */
    private static Object skewedKey(int number) {
        return number % 10 == 0 ? number : "frequent";
    }

    @Test
    void combinersOfWhichOneHasNineTenthsOfTheValuesAreSpilled() {
        neighbour.acquireMemory(ALL_BYTES - 100_000);
        Iterator<Product2<Object, String>> values =
                pairs(VALUES, SizedCombiningTest::skewedKey, number -> "value " + number);
        assertThat(content(ours.combineValuesByKey(values, task))).isEqualTo(expected(SizedCombiningTest::skewedKey));
        hasSpilledInTime(75_000, 100_000);
    }

    @Test
    void groupsOfWhichOneHasNineTenthsOfTheValuesAreSpilled() {
        neighbour.acquireMemory(ALL_BYTES - 100_000);
        Iterator<Product2<Object, Object>> values =
                pairs(VALUES, SizedCombiningTest::skewedKey, number -> "value " + number);
        assertThat(sizes(sized(grouping()).combineValuesByKey(values, task)))
                .hasSize(VALUES / 10 + 1)
                .containsEntry("frequent", VALUES * 9 / 10);
        hasSpilledInTime(75_000, 100_000);
    }

    @Test
    void largeValuesOfGroupsAreSpilled() {
        int valueBytes = 200_000;
        int roomBytes = 4 << 20;
        neighbour.acquireMemory(ALL_BYTES - roomBytes);
        Iterator<Product2<Object, Object>> values = pairs(100, number -> number % 3, number -> new byte[valueBytes]);
        assertThat(sizes(sized(grouping()).combineValuesByKey(values, task)))
                .isEqualTo(Map.of("0", 34, "1", 33, "2", 33));
        // Spark asks for memory after each 32 values.
        hasSpilledInTime(90L * valueBytes, 32 * valueBytes);
    }

    /** Spark looks at the size after each 32 values of the task, and not of the map. */
    @Test
    void valuesAfterASpillForANeighbourAreSpilledWhereSparkSpillsThem() {
        Map<Integer, Long> ofSpark = spillsBeforeSomeValues(grouping());
        assertThat(ofSpark)
                .containsEntry(50, 0L)
                .as("for the neighbour")
                .containsEntry(51, 1L)
                .as("after 64 values")
                .containsEntry(65, 2L);
        assertThat(spillsBeforeSomeValues(sized(grouping()))).isEqualTo(ofSpark);
    }

    private Map<Integer, Long> spillsBeforeSomeValues(Aggregator<Object, Object, CompactBuffer<Object>> aggregator) {
        neighbour.freeMemory(neighbour.getUsed());
        neighbour.acquireMemory(ALL_BYTES - (4 << 20));
        long before = spillFiles();
        Map<Integer, Long> spills = new TreeMap<>();
        Iterator<Product2<Object, Object>> values = pairs(100, number -> number % 3, number -> {
            // To count them allocates memory.
            if (Set.of(50, 51, 65, 97).contains(number)) {
                spills.put(number, spillFiles() - before);
            }
            if (number == 50) {
                neighbour.acquireMemory(ALL_BYTES);
                neighbour.freeMemory(1 << 20);
            }
            return new byte[100_000];
        });
        assertThat(sizes(aggregator.combineValuesByKey(values, task))).isEqualTo(Map.of("0", 34, "1", 33, "2", 33));
        return spills;
    }

    private static long spillFiles() {
        try (Stream<java.nio.file.Path> files = Files.walk(folder)) {
            return files.filter(each -> each.getFileName().toString().startsWith("temp_local_"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Integer> sizes(Iterator<Tuple2<Object, CompactBuffer<Object>>> groups) {
        Map<String, Integer> sizes = new TreeMap<>();
        while (groups.hasNext()) {
            Tuple2<Object, CompactBuffer<Object>> group = groups.next();
            assertThat(sizes.put(String.valueOf(group._1()), group._2().length()))
                    .as("a key twice")
                    .isNull();
        }
        return sizes;
    }

    private void hasSpilledInTime(long leastSpilledBytes, long mostBytesAtOnce) {
        assertThat(task.taskMetrics().memoryBytesSpilled()).isGreaterThan(leastSpilledBytes);
        assertThat(task.taskMetrics().peakExecutionMemory()).isBetween(mostBytesAtOnce / 2, mostBytesAtOnce * 4);
    }

    @Test
    void largeValuesThatAreReducedNeedNoSpill() {
        neighbour.acquireMemory(ALL_BYTES - (4 << 20));
        needsNoSpill(
                10, aggregator(value -> value, (sum, value) -> sum, (sum, other) -> sum), number -> new byte[200_000]);
    }

    /** Each spilled entry would have the object with it. */
    @Test
    void combinersThatShareALargeObjectNeedNoSpill() {
        byte[] shared = new byte[1 << 20];
        neighbour.acquireMemory(ALL_BYTES - shared.length * 10 / 6);
        needsNoSpill(
                300,
                aggregator(
                        value -> new Object[] {shared, value},
                        (combiner, value) -> combiner,
                        (combiner, other) -> combiner),
                number -> "value " + number);
    }

    /** Neither with Spark's aggregator, nor with ours in its place. */
    private <V, C> void needsNoSpill(int keys, Aggregator<Object, V, C> ofSpark, IntFunction<V> value) {
        for (Aggregator<Object, V, C> each : List.of(ofSpark, sized(ofSpark))) {
            Iterator<Product2<Object, V>> values = pairs(1000, number -> number % keys, value);
            assertThat(each.combineValuesByKey(values, task).size()).isEqualTo(keys);
            assertThat(task.taskMetrics().memoryBytesSpilled())
                    .as("spilled by %s", each.getClass().getSimpleName())
                    .isZero();
        }
    }

    @Test
    void combinersOfMapTasksAreCombined() {
        neighbour.acquireMemory(ALL_BYTES - 100_000);
        Iterator<Product2<Object, List<String>>> lists = values(number -> {})
                .map(new AbstractFunction1<Product2<Object, String>, Product2<Object, List<String>>>() {
                    @Override
                    public Product2<Object, List<String>> apply(Product2<Object, String> pair) {
                        return new Tuple2<>(pair._1(), new ArrayList<>(List.of(pair._2())));
                    }
                });
        assertThat(content(ours.combineCombinersByKey(lists, task))).isEqualTo(expected());
        assertThat(task.taskMetrics().diskBytesSpilled()).isGreaterThan(10_000);
    }

    @Test
    void aNeighbourGetsTheMemoryBetweenTwoValues() {
        List<Long> got = new ArrayList<>();
        Iterator<Tuple2<Object, List<String>>> combined = ours.combineValuesByKey(
                values(number -> {
                    if (number == 2000) {
                        got.add(neighbour.acquireMemory(ALL_BYTES));
                    }
                }),
                task);
        assertThat(got).containsExactly((long) ALL_BYTES);
        assertThat(task.taskMetrics().memoryBytesSpilled()).isPositive();
        neighbour.freeMemory(ALL_BYTES);
        assertThat(content(combined)).isEqualTo(expected());
    }

    @Test
    void withinAValueANeighbourWaitsForTheNextOne() {
        List<Long> got = new ArrayList<>();
        int[] merged = {0};
        merging = () -> {
            if (++merged[0] == 1000) {
                got.add(neighbour.acquireMemory(ALL_BYTES));
            } else if (merged[0] == 1001) {
                got.add(neighbour.acquireMemory(1000));
            }
        };
        Iterator<Tuple2<Object, List<String>>> combined = ours.combineValuesByKey(values(number -> {}), task);
        assertThat(got.get(0)).as("in the midst of an update").isLessThan(ALL_BYTES);
        assertThat(got.get(1)).as("when it has spilled").isEqualTo(1000);
        merging = () -> {};
        assertThat(task.taskMetrics().memoryBytesSpilled()).isPositive();
        assertThat(content(combined)).isEqualTo(expected());
    }

    @Test
    void anotherThreadWaitsForTheNextValueAsWell() {
        List<Long> got = new ArrayList<>();
        Iterator<Tuple2<Object, List<String>>> combined = ours.combineValuesByKey(
                values(number -> {
                    if (number == 2000 || number == 2001) {
                        onAnotherThread(() -> got.add(neighbour.acquireMemory(number == 2000 ? ALL_BYTES : 1000)));
                    }
                }),
                task);
        assertThat(got.get(0)).isLessThan(ALL_BYTES);
        assertThat(got.get(1)).isEqualTo(1000);
        assertThat(content(combined)).isEqualTo(expected());
    }

    @Test
    void whileEntriesAreReadAnyThreadGetsTheMemory() {
        Iterator<Tuple2<Object, List<String>>> combined = ours.combineValuesByKey(values(number -> {}), task);
        Map<String, List<String>> content = new TreeMap<>();
        for (int i = 0; i < KEYS / 2; i++) {
            Tuple2<Object, List<String>> entry = combined.next();
            content.put(String.valueOf(entry._1()), entry._2().stream().sorted().toList());
        }
        onAnotherThread(() -> assertThat(neighbour.acquireMemory(ALL_BYTES)).isEqualTo(ALL_BYTES));
        neighbour.freeMemory(ALL_BYTES);
        content.putAll(content(combined));
        assertThat(content).isEqualTo(expected());
    }

    @Test
    void whereNothingIsCountedItIsSparks() {
        CombinerSizes.Source off = new CombinerSizes.Source() {
            private static final long serialVersionUID = 1L;

            @Override
            public boolean works() {
                return false;
            }

            @Override
            public CombinerSizes begin(CombinerSizes.Entries entries, long updatesBefore) {
                throw new AssertionError("begun though it does not work");
            }
        };
        assertThat(content(new SizedAggregator<>(stock, off).combineValuesByKey(values(number -> {}), task)))
                .isEqualTo(expected());
    }

    /** The aggregator with which tasks of a shuffle combine. */
    private Aggregator<?, ?, ?> inPlaceOfStock(String combinerSizes) {
        SparkConf conf = spark.getConf().set("spark.heapspan.combinerSizes", combinerSizes);
        ShuffleDependency<Object, String, List<String>> dependency = new ShuffleDependency<>(
                new JavaSparkContext(spark)
                        .parallelize(List.of(1), 1)
                        .mapToPair(number -> new Tuple2<>((Object) number, "value"))
                        .rdd(),
                new HashPartitioner(1),
                new HeapspanSerializer(conf),
                Option.empty(),
                Option.apply(stock),
                false,
                new ShuffleWriteProcessor(),
                ClassTag$.MODULE$.Object(),
                ClassTag$.MODULE$.apply(String.class),
                ClassTag$.MODULE$.apply(List.class));
        return dependency.aggregator().get();
    }

    @Test
    void isInThePlaceOfTheAggregatorOfEachShuffle() {
        assertThat(inPlaceOfStock("true")).isInstanceOf(SizedAggregator.class).isEqualTo(stock);
        assertThat(inPlaceOfStock("false")).isSameAs(stock);
    }

    @Test
    void itEqualsTheAggregatorInWhosePlaceItIs() {
        assertThat(ours).isEqualTo(stock).hasSameHashCodeAs(stock);
    }

    private static void onAnotherThread(Runnable action) {
        Thread thread = new Thread(action);
        List<Throwable> thrown = new ArrayList<>();
        thread.setUncaughtExceptionHandler((any, e) -> thrown.add(e));
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(thrown).isEmpty();
    }
}
