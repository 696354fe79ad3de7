package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.giraph.bsp.CentralizedServiceWorker;
import org.apache.giraph.combiner.MessageCombiner;
import org.apache.giraph.comm.messages.InMemoryMessageStoreFactory;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.comm.messages.PartitionSplitInfo;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.partition.Partition;
import org.apache.giraph.utils.ByteArrayVertexIdMessages;
import org.apache.giraph.utils.VertexIdMessages;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.heapspan.HeapspanException;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeapStatistics;
import org.heapspan.h2.SecondHeapStatistics.LabelStatistics;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecondHeapMessageStoreTest {
    private static final int PARTITIONS = 5;
    private static final int VERTICES = 400;

    @TempDir
    Path folder;

    private ImmutableClassesGiraphConfiguration<LongWritable, DoubleWritable, Text> worker;

    @AfterEach
    void close() {
        WorkerHeap.close(worker);
    }

    private static final class Partitions implements PartitionSplitInfo<LongWritable> {
        @Override
        public int getPartitionId(LongWritable vertexId) {
            return (int) (vertexId.get() % PARTITIONS);
        }

        @Override
        public Iterable<Integer> getPartitionIds() {
            return List.of(0, 1, 2, 3, 4);
        }

        @Override
        public long getPartitionVertexCount(Integer partitionId) {
            return VERTICES / PARTITIONS;
        }

        @Override
        public void startIteration() {
            throw new UnsupportedOperationException();
        }

        @Override
        @SuppressWarnings("rawtypes")
        public Partition getNextPartition() {
            throw new UnsupportedOperationException();
        }

        @Override
        @SuppressWarnings("rawtypes")
        public void putPartition(Partition partition) {
            throw new UnsupportedOperationException();
        }
    }

    /** What Giraph's own worker is to a factory: it knows the partitions and the superstep. */
    @SuppressWarnings("unchecked")
    private static PartitionSplitInfo<LongWritable> workerInSuperstep(long superstep) {
        Partitions partitions = new Partitions();
        return (PartitionSplitInfo<LongWritable>) Proxy.newProxyInstance(
                CentralizedServiceWorker.class.getClassLoader(),
                new Class<?>[] {PartitionSplitInfo.class, CentralizedServiceWorker.class},
                (proxy, method, arguments) ->
                        method.getName().equals("getSuperstep") ? superstep : method.invoke(partitions, arguments));
    }

    private MessageStore<LongWritable, Text> storeOf(InMemoryMessageStoreFactory<LongWritable, Text> factory) {
        return storeOf(factory, new Partitions());
    }

    private MessageStore<LongWritable, Text> storeOf(
            InMemoryMessageStoreFactory<LongWritable, Text> factory, PartitionSplitInfo<LongWritable> partitions) {
        factory.initialize(partitions, worker);
        return factory.newStore(worker.getOutgoingMessageClasses());
    }

    private ByteArrayVertexIdMessages<LongWritable, Text> newBatch() {
        ByteArrayVertexIdMessages<LongWritable, Text> batch =
                new ByteArrayVertexIdMessages<>(worker.createOutgoingMessageValueFactory());
        batch.setConf(worker);
        batch.initialize();
        return batch;
    }

    /** Sends the same to both; to vertices of partition 4 nothing. */
    private void send(MessageStore<LongWritable, Text> plain, MessageStore<LongWritable, Text> second)
            throws IOException {
        Random random = new Random(7);
        for (int i = 0; i < 600; i++) {
            int partition = random.nextInt(PARTITIONS - 1);
            ByteArrayVertexIdMessages<LongWritable, Text> batch = newBatch();
            for (int j = random.nextInt(30); j >= 0; j--) {
                long vertex = (long) random.nextInt(VERTICES / PARTITIONS) * PARTITIONS + partition;
                batch.add(
                        new LongWritable(vertex), new Text("message " + i + "." + j + "x".repeat(random.nextInt(50))));
            }
            plain.addPartitionMessages(partition, batch);
            second.addPartitionMessages(partition, batch);
        }
        plain.addMessage(new LongWritable(2), new Text("single"));
        second.addMessage(new LongWritable(2), new Text("single"));
    }

    private static List<String> messages(MessageStore<LongWritable, Text> store, long vertex) {
        List<String> all = new ArrayList<>();
        store.getVertexMessages(new LongWritable(vertex)).forEach(message -> all.add(message.toString()));
        return all;
    }

    private static void assertSame(MessageStore<LongWritable, Text> plain, MessageStore<LongWritable, Text> second) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(second.hasMessagesForPartition(partition)).isEqualTo(plain.hasMessagesForPartition(partition));
            assertThat(second.getPartitionDestinationVertices(partition))
                    .containsExactlyInAnyOrderElementsOf(plain.getPartitionDestinationVertices(partition));
        }
        for (long vertex = 0; vertex < VERTICES; vertex++) {
            assertThat(second.hasMessagesForVertex(new LongWritable(vertex)))
                    .isEqualTo(plain.hasMessagesForVertex(new LongWritable(vertex)));
            assertThat(messages(second, vertex)).isEqualTo(messages(plain, vertex));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messagesAreThoseOfGiraphAndTheirRegionsAreFreed(boolean sized) throws IOException {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.setBoolean("giraph.useMessageSizeEncoding", sized);
        settings.setInt(WorkerSettings.ENCRYPTION_KEY_BITS, sized ? 256 : 0);
        worker = Workers.of(settings);
        MessageStore<LongWritable, Text> plain = storeOf(new InMemoryMessageStoreFactory<>());
        MessageStore<LongWritable, Text> second = storeOf(new SecondHeapMessageStoreFactory<>());
        assertThat(second).isInstanceOf(SecondHeapMessageStore.class);
        send(plain, second);
        plain.finalizeStore();
        second.finalizeStore();
        assertThat(WorkerHeap.of(worker).statistics().liveBytes()).isGreaterThan(300_000);

        assertSame(plain, second);
        plain.clearVertexMessages(new LongWritable(6));
        second.clearVertexMessages(new LongWritable(6));
        assertSame(plain, second);
        second.clearPartition(1);
        assertThat(second.hasMessagesForPartition(1)).isFalse();
        second.clearAll();
        assertThat(WorkerHeap.of(worker).statistics().liveBytes()).isZero();
        assertThat(WorkerHeap.of(worker).statistics().regionsInUse()).isZero();
    }

    private int regionsOf(long superstep) {
        return WorkerHeap.of(worker).statistics().labels().stream()
                .filter(each -> each.label().equals(WorkerHeap.messages(superstep)))
                .mapToInt(LabelStatistics::regions)
                .sum();
    }

    /** If they shared a region with those of the next superstep, it would not be free when they have been read. */
    @Test
    void theMessagesOfASuperstepHaveRegionsOfTheirOwn() throws IOException {
        worker = Workers.of(Workers.settings(folder));
        MessageStore<LongWritable, Text> first = storeOf(new SecondHeapMessageStoreFactory<>(), workerInSuperstep(1));
        MessageStore<LongWritable, Text> second = storeOf(new SecondHeapMessageStoreFactory<>(), workerInSuperstep(2));
        send(first, second);
        first.finalizeStore();
        second.finalizeStore();
        assertThat(regionsOf(1)).isPositive();
        assertThat(regionsOf(2)).isPositive();
        SecondHeapStatistics before = WorkerHeap.of(worker).statistics();
        assertThat(before.regionsInUse()).isEqualTo(regionsOf(1) + regionsOf(2));

        int freed = regionsOf(1);
        first.clearAll();
        SecondHeapStatistics after = WorkerHeap.of(worker).statistics();
        assertThat(after.regionsFreed()).isEqualTo(before.regionsFreed() + freed);
        assertThat(after.regionsInUse()).isEqualTo(regionsOf(2));
        assertThat(after.deadBytes()).isZero();
        second.clearAll();
        assertThat(WorkerHeap.of(worker).statistics().regionsInUse()).isZero();
    }

    /** Keeps the longest message to a vertex. */
    public static final class Longest implements MessageCombiner<LongWritable, Text> {
        @Override
        public void combine(LongWritable vertex, Text combined, Text message) {
            if (message.getLength() > combined.getLength()) {
                combined.set(message);
            }
        }

        @Override
        public Text createInitialMessage() {
            return new Text();
        }
    }

    @Test
    void combinedMessagesStayInGiraphsOwnStore() throws IOException {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.setMessageCombinerClass(Longest.class);
        worker = Workers.of(settings);
        MessageStore<LongWritable, Text> plain = storeOf(new InMemoryMessageStoreFactory<>());
        MessageStore<LongWritable, Text> second = storeOf(new SecondHeapMessageStoreFactory<>());
        assertThat(second).hasSameClassAs(plain);
        send(plain, second);
        plain.finalizeStore();
        second.finalizeStore();
        assertThat(messages(second, 2)).hasSize(1);
        assertSame(plain, second);
        assertThat(WorkerHeap.of(worker).statistics().writtenBytes()).isZero();
    }

    /** Sends four megabytes to both, to each of four partitions as much. */
    private void sendMuch(MessageStore<LongWritable, Text> plain, MessageStore<LongWritable, Text> second)
            throws IOException {
        for (int i = 0; i < 400; i++) {
            int partition = i % (PARTITIONS - 1);
            ByteArrayVertexIdMessages<LongWritable, Text> batch = newBatch();
            for (int j = 0; j < 100; j++) {
                long vertex = (long) (i + j) % (VERTICES / PARTITIONS) * PARTITIONS + partition;
                batch.add(new LongWritable(vertex), new Text(i + "." + j + "x".repeat(90)));
            }
            plain.addPartitionMessages(partition, batch);
            second.addPartitionMessages(partition, batch);
        }
    }

    @Test
    void fullPagesMoveBeforeTheSuperstepEnds() throws IOException {
        worker = Workers.of(Workers.settings(folder));
        MessageStore<LongWritable, Text> plain = storeOf(new InMemoryMessageStoreFactory<>());
        MessageStore<LongWritable, Text> second = storeOf(new SecondHeapMessageStoreFactory<>());
        sendMuch(plain, second);
        // The first ones. The others wait for more of them, or for the end.
        long moved = WorkerHeap.of(worker).statistics().movedRoots();
        assertThat(moved).isBetween(20L, 35L);
        plain.finalizeStore();
        second.finalizeStore();
        assertThat(WorkerHeap.of(worker).statistics().movedRoots()).isGreaterThan(moved + 5);
        assertSame(plain, second);
        second.clearAll();
        assertThat(WorkerHeap.of(worker).statistics().liveBytes()).isZero();
    }

    private static long usedBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** The buffer of each partition would stay as long as its longest message. */
    @Tag("once")
    @Test
    void longMessagesThatHaveMovedTakeNoMemory() throws IOException {
        worker = Workers.of(Workers.settings(folder));
        MessageStore<LongWritable, Text> second = storeOf(new SecondHeapMessageStoreFactory<>());
        second.addMessage(new LongWritable(4), new Text("short"));
        long before = usedBytes();
        for (int partition = 0; partition < PARTITIONS - 1; partition++) {
            second.addMessage(new LongWritable(partition), new Text("m".repeat(20 << 20)));
        }
        assertThat(WorkerHeap.of(worker).statistics().liveBytes()).isGreaterThan(80 << 20);
        assertThat(usedBytes() - before).isLessThan(40 << 20);
        second.finalizeStore();
        for (int partition = 0; partition < PARTITIONS - 1; partition++) {
            assertThat(messages(second, partition).get(0)).hasSize(20 << 20);
        }
        second.clearAll();
    }

    private SecondHeapMessageStore<LongWritable, Text> storeOf(Consumer<Label> mover) {
        return new SecondHeapMessageStore<>(
                WorkerHeap.of(worker),
                WorkerHeap.messages(1),
                mover,
                new Partitions(),
                new PartitionStores<>(
                        worker, new Partitions(), Text.class, worker.createOutgoingMessageValueFactory()));
    }

    /** A thread of Giraph's asynchronous store would end with it, and Giraph would wait for that thread. */
    @Test
    void anErrorOfAMoveIsLeftToTheEndOfTheSuperstep() throws IOException {
        worker = Workers.of(Workers.settings(folder));
        WorkerHeap heap = WorkerHeap.of(worker);
        AtomicInteger errors = new AtomicInteger(1);
        MessageStore<LongWritable, Text> plain = storeOf(new InMemoryMessageStoreFactory<>());
        MessageStore<LongWritable, Text> second = storeOf(label -> {
            if (errors.getAndDecrement() > 0) {
                throw new OutOfMemoryError("no memory for a buffer");
            }
            heap.moveOnHint(label);
        });
        sendMuch(plain, second);
        assertThat(errors).hasValueLessThan(1);
        plain.finalizeStore();
        second.finalizeStore();
        assertThat(heap.statistics().movedRoots()).isPositive();
        assertSame(plain, second);
    }

    /** The superstep would run out of memory before it ends. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fullStorageFailsTheComputationOfTheNextVertexIfTheJavaHeapIsFull(boolean hint) throws IOException {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.set(WorkerSettings.CAPACITY, "16m");
        settings.setBoolean(WorkerSettings.TRANSFER_HINT, hint);
        // What this JVM has on its heap is always more.
        settings.set(WorkerSettings.HIGH_THRESHOLD, "0.0001");
        settings.set(WorkerSettings.LOW_THRESHOLD, "0");
        worker = Workers.of(settings);
        MessageStore<LongWritable, Text> current = storeOf(new SecondHeapMessageStoreFactory<>(), workerInSuperstep(1));
        MessageStore<LongWritable, Text> plain = storeOf(new InMemoryMessageStoreFactory<>());
        MessageStore<LongWritable, Text> next = storeOf(new SecondHeapMessageStoreFactory<>(), workerInSuperstep(2));
        for (int i = 0; i < 6; i++) {
            sendMuch(plain, next);
        }
        assertThatThrownBy(() -> Eventually.holdsAfterCollection("the job fails", () -> {
                    current.getVertexMessages(new LongWritable(1));
                    return false;
                }))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining(WorkerSettings.CAPACITY);
    }

    @Test
    @SuppressWarnings("unchecked")
    void messagesThatCouldNotBeAddedFailTheSuperstep() throws IOException {
        worker = Workers.of(Workers.settings(folder));
        MessageStore<LongWritable, Text> second = storeOf(label -> {});
        OutOfMemoryError failure = new OutOfMemoryError("no memory for a message");
        second.addPartitionMessages(1, (VertexIdMessages<LongWritable, Text>) Proxy.newProxyInstance(
                VertexIdMessages.class.getClassLoader(),
                new Class<?>[] {VertexIdMessages.class},
                (proxy, method, arguments) -> {
                    throw failure;
                }));
        second.addMessage(new LongWritable(2), new Text("later"));
        assertThatThrownBy(second::finalizeStore)
                .hasMessageContaining("messages are missing")
                .hasCause(failure);
    }

    @Test
    void withoutTheHintMessagesStayOnTheJavaHeap() throws IOException {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.setBoolean(WorkerSettings.TRANSFER_HINT, false);
        worker = Workers.of(settings);
        MessageStore<LongWritable, Text> plain = storeOf(new InMemoryMessageStoreFactory<>());
        MessageStore<LongWritable, Text> second = storeOf(new SecondHeapMessageStoreFactory<>());
        sendMuch(plain, second);
        plain.finalizeStore();
        second.finalizeStore();
        assertThat(WorkerHeap.of(worker).statistics().movedRoots()).isZero();
        assertSame(plain, second);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void checkpointsAreThoseOfGiraph(boolean sorted) throws IOException {
        worker = Workers.of(Workers.settings(folder));
        MessageStore<LongWritable, Text> plain = storeOf(new InMemoryMessageStoreFactory<>());
        MessageStore<LongWritable, Text> second = storeOf(new SecondHeapMessageStoreFactory<>());
        send(plain, second);
        second.finalizeStore();
        if (sorted) {
            assertSame(plain, second);
        }
        // A job can go on with other stores than those that have written its checkpoint.
        assertSame(plain, copy(second, storeOf(new SecondHeapMessageStoreFactory<>())));
        assertSame(plain, copy(plain, storeOf(new SecondHeapMessageStoreFactory<>())));
        assertSame(plain, copy(second, storeOf(new InMemoryMessageStoreFactory<>())));
        assertSame(plain, second);
    }

    private static MessageStore<LongWritable, Text> copy(
            MessageStore<LongWritable, Text> written, MessageStore<LongWritable, Text> read) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            written.writePartition(new DataOutputStream(bytes), partition);
        }
        DataInputStream input = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        for (int partition = 0; partition < PARTITIONS; partition++) {
            read.readFieldsForPartition(input, partition);
        }
        assertThat(input.available()).isZero();
        return read;
    }
}
