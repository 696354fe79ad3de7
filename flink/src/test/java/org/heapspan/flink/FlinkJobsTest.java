package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.heapspan.flink.Samples.Basket;
import org.heapspan.flink.Samples.Box;
import org.heapspan.flink.Samples.Trade;
import org.heapspan.flink.Samples.Transfer;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs on a cluster of Flink within this JVM. */
final class FlinkJobsTest {
    private static final int KEYS = 7;

    @TempDir
    Path folder;

    private static Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.setString("restart-strategy.type", "disable");
        configuration.setString("taskmanager.memory.network.min", "8mb");
        configuration.setString("taskmanager.memory.network.max", "8mb");
        configuration.setString("taskmanager.memory.managed.size", "32mb");
        return configuration;
    }

    /** Uses Heapspan in all three ways: by an annotation, by the configuration instead of Kryo, and in code. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBatchJobPassesRecords(boolean objectReuse) throws Exception {
        Configuration configuration = configuration();
        configuration.setString("pipeline.object-reuse", Boolean.toString(objectReuse));
        configuration.setString("pipeline.serialization-config", HeapspanKryoSerializerTest.ENTRY);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
        environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
        DataStream<Basket> baskets = environment
                .fromSequence(1, 3000)
                .map(FlinkJobsTest::basketOf)
                .returns(TypeInformation.of(Basket.class));
        assertThat(baskets.getType()).isInstanceOf(HeapspanTypeInformation.class);
        DataStream<Box<Basket>> boxes = baskets.keyBy(basket -> basket.owner)
                .reduce(FlinkJobsTest::joined)
                .map(FlinkJobsTest::boxed)
                .returns(generic(Box.class));
        assertThat(boxes.getType()).isInstanceOf(GenericTypeInfo.class);
        DataStream<Trade> sums = boxes.rebalance()
                .map(FlinkJobsTest::sumOf)
                .returns(HeapspanTypeInformation.of(Trade.class))
                .rebalance();
        Map<String, Integer> amounts = new HashMap<>();
        try (CloseableIterator<Trade> results = sums.executeAndCollect("baskets")) {
            results.forEachRemaining(trade -> amounts.put(trade.symbol, trade.amount));
        }
        assertThat(amounts).hasSize(KEYS);
        for (int key = 0; key < KEYS; key++) {
            int ofKey = key;
            int expected = java.util.stream.IntStream.rangeClosed(1, 3000)
                    .filter(number -> number % KEYS == ofKey)
                    .sum();
            assertThat(amounts).containsEntry("owner " + key, expected);
        }
    }

    /** Flink compares the key, which is its own. Records with the same key go through its sorter as they are. */
    @Tag("once")
    @Test
    void aBatchJobSortsRecords() throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, configuration());
        environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
        DataStream<Trade> sorted = environment
                .fromSequence(1, 500)
                .map(number -> new Trade(number, 0, 0, false, "S" + number * 7919 % 500))
                .returns(HeapspanTypeInformation.of(Trade.class))
                .fullWindowPartition()
                .sortPartition(trade -> trade.symbol, Order.DESCENDING);
        List<String> symbols = new ArrayList<>();
        try (CloseableIterator<Trade> results = sorted.executeAndCollect("sorted")) {
            results.forEachRemaining(trade -> symbols.add(trade.symbol));
        }
        assertThat(symbols).hasSize(500).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.reverseOrder());
    }

    /** Some keys have one string in both fields, others two equal strings. Flink sorts keys by their bytes, and counts what comes in a row. */
    @Tag("once")
    @Test
    void aBatchJobFindsEqualKeys() throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, configuration());
        environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
        DataStream<Long> sums = environment
                .fromSequence(0, 20 * KEYS - 1)
                .keyBy(FlinkJobsTest::transferOf, HeapspanTypeInformation.of(Transfer.class))
                .reduce(Long::sum);
        try (CloseableIterator<Long> results = sums.executeAndCollect("transfers")) {
            assertThat(results).toIterable().hasSize(KEYS);
        }
    }

    private static Transfer transferOf(long number) {
        String from = "account " + number % KEYS;
        return new Transfer(from, number < 10 * KEYS ? from : "account " + number % KEYS);
    }

    @SuppressWarnings("unchecked")
    private static <T> TypeInformation<T> generic(Class<?> type) {
        return new GenericTypeInfo<>((Class<T>) type);
    }

    private static Basket basketOf(long number) {
        Basket basket = new Basket("owner " + number % KEYS);
        basket.trades.add(new Trade(number, (int) number, 1, false, "S"));
        return basket;
    }

    private static Basket joined(Basket first, Basket second) {
        first.trades.addAll(second.trades);
        return first;
    }

    private static Box<Basket> boxed(Basket basket) {
        return new Box<>(basket);
    }

    private static Trade sumOf(Box<Basket> box) {
        int amount = box.content.trades.stream().mapToInt(trade -> trade.amount).sum();
        return new Trade(0, amount, 0, true, box.content.owner);
    }

    /** A task fails after a checkpoint. Each record counts once all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb"})
    void aStreamingJobRestoresItsState(String backend) throws Exception {
        streamingJob(backend, 3000, 1);
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb"})
    void aLongStreamingJobRestoresItsStateOften(String backend) throws Exception {
        streamingJob(backend, 40_000, 20);
    }

    private void streamingJob(String backend, int records, int failures) throws Exception {
        Configuration configuration = configuration();
        configuration.setString("state.backend.type", backend);
        configuration.setString("execution.checkpointing.interval", "50 ms");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", Integer.toString(failures));
        configuration.setString("restart-strategy.fixed-delay.delay", "10 ms");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
        CountingFunction.begin(failures);
        environment
                .fromSequence(1, records)
                .map(number -> CountingFunction.tradeOf(number, KEYS))
                .returns(HeapspanTypeInformation.of(Trade.class))
                .keyBy(CountingFunction::keyOf, HeapspanTypeInformation.of(Transfer.class))
                .process(new CountingFunction())
                .returns(Long.class)
                .print()
                .name("nothing");
        environment.execute("counts");
        assertThat(CountingFunction.failuresLeft()).isZero();
        assertThat(CountingFunction.counts()).hasSize(KEYS);
        for (int key = 0; key < KEYS; key++) {
            int count = records / KEYS + (key > 0 && key <= records % KEYS ? 1 : 0);
            assertThat(CountingFunction.counts()).containsEntry("key " + key, count);
        }
    }

    /** A savepoint is read with a class that has lost a field and got others, and not with one whose field has another type. */
    @Tag("once")
    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb"})
    void aSavepointOutlivesFields(String backend) throws Exception {
        Map<String, Long> before = new HashMap<>();
        String savepoint = runUntilSavepoint(
                backend, version("v1", Map.of("count", "J", "name", "Ljava/lang/String;")), null, before);
        assertThat(before).hasSize(KEYS);

        Map<String, Long> after = new HashMap<>();
        runUntilSavepoint(backend, version("v2", Map.of("count", "J", "added", "I", "more", "[J")), savepoint, after);
        assertThat(EntryFunction.found()).hasSize(KEYS);
        // The first record of each key found what the last one before had left.
        EntryFunction.found().forEach((key, found) -> {
            List<Long> latest = List.of(before.get(key));
            List<Long> all = LongStream.rangeClosed(1, before.get(key)).boxed().toList();
            assertThat(found).isEqualTo(List.of(latest, all, all, latest));
        });

        EvolvingClass changed = version("v3", Map.of("count", "I"));
        assertThatThrownBy(() -> runUntilSavepoint(backend, changed, savepoint, new HashMap<>()))
                .satisfies(e -> assertThat(messagesOf(e))
                        .anyMatch(
                                message -> message.contains("field Entry.count was written as long and is int here")));
    }

    /** A rule comes once, before the job fails. All records behind the failure find it. */
    @Tag("once")
    @Test
    void aStreamingJobRestoresItsBroadcastState() throws Exception {
        Configuration configuration = configuration();
        configuration.setString("execution.checkpointing.interval", "50 ms");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "1");
        configuration.setString("restart-strategy.fixed-delay.delay", "10 ms");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2, configuration);
        RuleFunction.begin();
        BroadcastStream<Basket> rules = environment
                .fromSequence(1, 1)
                .map(number -> Basket.sample())
                .returns(HeapspanTypeInformation.of(Basket.class))
                .broadcast(RuleFunction.RULES);
        environment
                .fromSequence(1, 2000)
                .map(number -> {
                    if (!RuleFunction.hasFailed()) {
                        // However late the first checkpoint is, there are records behind it.
                        Thread.sleep(50);
                    }
                    return new Trade(number, 1, 1, false, "SYM" + number % 5);
                })
                .returns(HeapspanTypeInformation.of(Trade.class))
                .connect(rules)
                .process(new RuleFunction())
                .returns(Long.class)
                .print()
                .name("nothing");
        environment.execute("rules");
        assertThat(RuleFunction.hasFailed()).isTrue();
        assertThat(RuleFunction.foundAfterFailure()).isPositive();
        assertThat(RuleFunction.missedAfterFailure()).isZero();
    }

    private static List<String> messagesOf(Throwable e) {
        List<String> messages = new ArrayList<>();
        for (Throwable each = e; each != null; each = each.getCause()) {
            messages.add(String.valueOf(each.getMessage()));
        }
        return messages;
    }

    private EvolvingClass version(String name, Map<String, String> fields) throws Exception {
        return EvolvingClass.of(folder.resolve(name), "Entry", fields);
    }

    /** Runs a job until each key has come, and stops it with a savepoint. */
    private String runUntilSavepoint(String backend, EvolvingClass entry, String from, Map<String, Long> counts)
            throws Exception {
        Configuration configuration = configuration();
        configuration.setString("state.backend.type", backend);
        configuration.setString("pipeline.classpaths", entry.url().toString());
        configuration.setString("classloader.check-leaked-classloader", "false");
        if (from != null) {
            configuration.setString("execution.state-recovery.path", from);
        }
        Thread thread = Thread.currentThread();
        ClassLoader loaderBefore = thread.getContextClassLoader();
        try (URLClassLoader loader = entry.newLoader()) {
            thread.setContextClassLoader(loader);
            StreamExecutionEnvironment environment =
                    StreamExecutionEnvironment.createLocalEnvironment(1, configuration);
            EntryFunction.begin();
            environment
                    .fromSequence(1, Long.MAX_VALUE)
                    .uid("numbers")
                    .map(number -> {
                        Thread.sleep(1);
                        return "key " + number % KEYS;
                    })
                    .returns(String.class)
                    .keyBy(key -> key)
                    .process(new EntryFunction(HeapspanTypeInformation.of(entry.in(loader))))
                    .uid("entries")
                    .returns(Long.class)
                    .print()
                    .uid("nothing");
            JobClient job = environment.executeAsync("entries");
            CompletableFuture<JobExecutionResult> result = job.getJobExecutionResult();
            while (EntryFunction.counts().size() < KEYS && !result.isDone()) {
                Thread.sleep(5);
            }
            if (result.isDone()) {
                // It has failed.
                result.get();
            }
            String savepoint = job.stopWithSavepoint(
                            false, folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                    .get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            result.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            counts.putAll(EntryFunction.counts());
            return savepoint;
        } finally {
            thread.setContextClassLoader(loaderBefore);
        }
    }
}
