package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.spark.Aggregator;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
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
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
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

    private final Aggregator<Object, String, List<String>> stock = new Aggregator<>(
            new AbstractFunction1<String, List<String>>() {
                @Override
                public List<String> apply(String value) {
                    return new ArrayList<>(List.of(value));
                }
            },
            new AbstractFunction2<List<String>, String, List<String>>() {
                @Override
                public List<String> apply(List<String> combiner, String value) {
                    merging.run();
                    combiner.add(value);
                    return combiner;
                }
            },
            new AbstractFunction2<List<String>, List<String>, List<String>>() {
                @Override
                public List<String> apply(List<String> combiner, List<String> other) {
                    combiner.addAll(other);
                    return combiner;
                }
            });

    private final Aggregator<Object, String, List<String>> ours = new SizedAggregator<>(stock, new MeasuredCombiners());

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

    /** Some values; with each of them something may happen. */
    private static Iterator<Product2<Object, String>> values(IntConsumer happening) {
        return new AbstractIterator<>() {
            private int count;

            @Override
            public boolean hasNext() {
                return count < VALUES;
            }

            @Override
            @SuppressWarnings("NullAway") // Null is a key.
            public Product2<Object, String> next() {
                happening.accept(count);
                return new Tuple2<>(key(count), "value " + count++);
            }
        };
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

    private Map<String, List<String>> expected() {
        Map<String, List<String>> expected = new TreeMap<>();
        IntStream.range(0, VALUES)
                .mapToObj(Integer::valueOf)
                .forEach(number -> expected.computeIfAbsent(String.valueOf(key(number)), any -> new ArrayList<>())
                        .add("value " + number));
        expected.replaceAll((key, values) -> values.stream().sorted().toList());
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
            public CombinerSizes begin(CombinerSizes.Entries entries) {
                throw new AssertionError("begun though it does not work");
            }
        };
        assertThat(content(new SizedAggregator<>(stock, off).combineValuesByKey(values(number -> {}), task)))
                .isEqualTo(expected());
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
