package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.heapspan.EstimatorFirst;
import org.apache.spark.heapspan.LocalConf;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.StorageLevel;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import org.heapspan.nativerdd.NativeWorker;
import org.heapspan.nativerdd.RunningStage;
import org.heapspan.nativerdd.TaskHost;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/** How stages end, with programs that are of Java. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class StageRunTest {
    private static final int PATIENCE_MILLIS = 200;
    private static final int MANY = 100;
    private static final AtomicLong HIGHEST = new AtomicLong();

    @TempDir
    static Path folder;

    private static SparkContext spark;

    private final TaskContextImpl task = new TaskContextImpl(
            0,
            0,
            0,
            0,
            0,
            1,
            new TaskMemoryManager(SparkEnv.get().memoryManager(), 0),
            new Properties(),
            null,
            TaskMetrics.empty(),
            scala.math.BigDecimal.valueOf(1),
            Map$.MODULE$.empty());

    @BeforeAll
    static void start() {
        spark = new SparkContext(LocalConf.of(folder, "stages")
                .set("spark.testing.reservedMemory", "0")
                .set("spark.testing.memory", String.valueOf(50 << 20)));
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    /** Calls of a stage. */
    private interface Program {
        boolean advance(TaskHost host) throws InterruptedException;

        default void close() {}
    }

    private record ProgramCode(Program program) implements StageRun.Code {
        @Override
        public NativeBatch openCaptures() {
            return NativeBatch.copyOf(new byte[0]);
        }

        @Override
        public RunningStage open(
                int partition, int attempt, int inputs, NativeBatch captures, TaskHost host, NativeWorker worker) {
            return new RunningStage() {
                @Override
                public boolean advance() {
                    try {
                        return program.advance(host);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException("interrupted", e);
                    }
                }

                @Override
                public void close() {
                    program.close();
                }
            };
        }

        @Override
        public SharedValues shared() {
            return new SharedValues(Map.of(), Map.of());
        }
    }

    private StageRun run(Program program) {
        return new StageRun(new ProgramCode(program), 0, List.of(), task, false);
    }

    private static Throwable failureOf(FutureTask<?> work) throws InterruptedException {
        try {
            throw new AssertionError("ended with " + work.get());
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    /** As {@code pipe} reads its input, and ends before it has read all. */
    @Test
    @Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aStageThatAnotherThreadReadsIsNotClosedWhileItIsAtWork() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        StageRun run = run(new Program() {
            @Override
            public boolean advance(TaskHost host) throws InterruptedException {
                inside.countDown();
                // The end of the task is said before the interrupt comes.
                while (!Thread.interrupted()) {
                    Thread.onSpinWait();
                }
                assertThat(host.isCancelled()).isTrue();
                // Somebody who does not wait closes it now.
                if (closed.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException("closed while at work");
                }
                host.nextBatch(0);
                return true;
            }

            @Override
            public void close() {
                closed.countDown();
            }
        });
        FutureTask<Boolean> reader = new FutureTask<>(run::hasNext);
        new Thread(reader, "reader of a stage").start();
        inside.await();
        task.markTaskCompleted(Option.empty());
        assertThat(failureOf(reader)).isInstanceOf(TaskKilledException.class);
        assertThat(closed.getCount()).as("the stage is closed").isZero();
    }

    /** Its input may wait for what only tasks get that have not ended. */
    @Test
    @Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aThreadThatWaitsWithinTheStageIsInterrupted() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        StageRun run = run(host -> {
            inside.countDown();
            new CountDownLatch(1).await();
            return true;
        });
        FutureTask<Boolean> reader = new FutureTask<>(run::hasNext);
        new Thread(reader, "reader of a stage").start();
        inside.await();
        task.markTaskCompleted(Option.empty());
        assertThat(failureOf(reader)).hasMessage("interrupted");
    }

    @Test
    void aKillEndsACallOfAStageThatEmitsMuch() {
        long before = NativeBatch.openBytes();
        int[] calls = {0};
        StageRun run = run(host -> {
            while (calls[0] < MANY) {
                calls[0]++;
                task.markInterrupted("another attempt was faster");
                host.emitBatch(0, 8);
            }
            return false;
        });
        assertThatThrownBy(run::hasNext).isInstanceOf(TaskKilledException.class);
        assertThat(calls[0]).isEqualTo(1);
        task.markTaskCompleted(Option.empty());
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }

    @Test
    void aKillEndsACallOfAStageThatWritesMuch() {
        StageRun run = run(host -> {
            long spill = host.createSpill();
            task.markInterrupted("another attempt was faster");
            assertThatThrownBy(() -> host.writeSpill(spill, 0, 0)).isInstanceOf(TaskKilledException.class);
            assertThatThrownBy(() -> host.writeMapOutput(0, 0, 0)).isInstanceOf(TaskKilledException.class);
            return false;
        });
        assertThat(run.hasNext()).isFalse();
        task.markTaskCompleted(Option.empty());
    }

    /** It asks whether it is cancelled, and says no more than that the host failed. */
    @Test
    void aStageThatSeesAKillEndsAsKilled() {
        StageRun run = run(host -> {
            task.markInterrupted("another attempt was faster");
            throw new NativeProgramException("ended with the status " + (host.isCancelled() ? 1 : 0));
        });
        assertThatThrownBy(run::hasNext).isInstanceOf(TaskKilledException.class);
    }

    @Test
    void thePeakOfMemoryCountsOnce() {
        StageRun run = run(host -> {
            assertThat(host.reserveMemory(1 << 20)).isTrue();
            return false;
        });
        assertThat(run.hasNext()).isFalse();
        task.markTaskCompleted(Option.empty());
        assertThat(task.taskMetrics().peakExecutionMemory()).isEqualTo(1 << 20);
    }

    /** The thread of the task waits for its answer. */
    @Test
    @Timeout(value = Eventually.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aKillEndsTheProcessOfTheTask() throws Exception {
        Set<ProcessHandle> before = ProcessHandle.current().children().collect(Collectors.toSet());
        NativeWorker worker = TaskWorker.of(task);
        ProcessHandle process = ProcessHandle.current()
                .children()
                .filter(each -> !before.contains(each))
                .findFirst()
                .orElseThrow();
        assertThat(TaskWorker.of(task)).isSameAs(worker);
        FutureTask<NativeWorker> ofOtherThread = new FutureTask<>(() -> TaskWorker.of(task));
        new Thread(ofOtherThread, "reader of a stage").start();
        assertThat(ofOtherThread.get()).isNotSameAs(worker);
        task.markInterrupted("another attempt was faster");
        process.onExit().join();
        task.markTaskCompleted(Option.empty());
    }

    /** A persisted RDD of one partition; the most memory that its batches had is in {@link #HIGHEST}. */
    private static final class ManyBatches extends BatchRdd {
        private static final long serialVersionUID = 1L;

        ManyBatches(SparkContext context) {
            super(
                    context,
                    CollectionConverters.asScala(List.<Dependency<?>>of()).toList());
        }

        @Override
        public Partition[] getPartitions() {
            return new Partition[] {() -> 0};
        }

        @Override
        Iterator<RddBatch> batches(Partition partition, TaskContext context) {
            return CollectionConverters.asScala(IntStream.range(0, MANY)
                    .mapToObj(number -> {
                        RddBatch batch = new RddBatch(NativeBatch.copyOf(new byte[1 << 20]));
                        HIGHEST.accumulateAndGet(NativeBatch.openBytes(), Math::max);
                        return batch;
                    })
                    .iterator());
        }
    }

    /** A kernel may make much of one element: then all of it comes before anybody takes any of it. */
    @Test
    void whatOneCallEmitsNeedsNotMoreMemoryThanThereIs() throws Exception {
        try (StageRun.Emitted emitted = new StageRun.Emitted(task)) {
            for (int turn = 0; turn < 2; turn++) {
                long spilledBefore = task.taskMetrics().memoryBytesSpilled();
                long inMemory = emit(emitted);
                assertThat(inMemory).isBetween(StageRun.Emitted.FREE_BYTES >> 20, MANY * 2L / 3);
                assertThat(spills()).isEqualTo(1);
                assertThat(task.taskMetrics().memoryBytesSpilled() - spilledBefore)
                        .isEqualTo((MANY - inMemory) << 20);
                for (int i = 0; i < MANY; i++) {
                    try (RddBatch batch = emitted.remove()) {
                        byte[] bytes = NativeBatch.bytesAt(
                                batch.memory().address(), batch.memory().sizeBytes());
                        assertThat(bytes).hasSize(1 << 20);
                        assertThat(bytes[i]).isEqualTo((byte) 1);
                    }
                }
                assertThat(emitted.isEmpty()).isTrue();
                assertThat(spills()).isZero();
                assertThat(task.taskMetrics().diskBytesSpilled())
                        .isGreaterThan(task.taskMetrics().memoryBytesSpilled());
            }
            emit(emitted);
        }
        assertThat(spills()).isZero();
        assertThat(task.taskMemoryManager().cleanUpAllAllocatedMemory()).isZero();
    }

    /** Emits batches of 1 MB; returns how many are in memory then. */
    private static long emit(StageRun.Emitted emitted) {
        List<NativeBatch> batches = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            byte[] bytes = new byte[1 << 20];
            bytes[i] = 1;
            NativeBatch batch = NativeBatch.copyOf(bytes);
            batches.add(batch);
            emitted.add(new RddBatch(batch));
        }
        return batches.stream().filter(StageRunTest::isOpen).count();
    }

    private static boolean isOpen(NativeBatch batch) {
        try {
            return batch.address() != 0;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private static long spills() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("temp_local_"))
                    .count();
        }
    }

    /** Spark has memory for half of them. */
    @Test
    void whatGoesToTheDiskForLackOfMemoryDoesNotStayInMemory() {
        RDD<RddBatch> many = new ManyBatches(spark).persist(StorageLevel.MEMORY_AND_DISK());
        long before = NativeBatch.openBytes();
        HIGHEST.set(0);
        assertThat(many.count()).isEqualTo(MANY);
        assertThat(HIGHEST.get() - before).isBetween(1L << 20, (MANY / 2L) << 20);
        assertThat(many.count()).isEqualTo(MANY);
    }
}
