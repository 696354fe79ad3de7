package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.TaskMemoryManager;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeWorker;
import org.heapspan.nativerdd.RunningStage;
import org.heapspan.nativerdd.TaskHost;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.collection.immutable.Map$;

/** How stages end, with programs that are of Java. */
@Tag("once")
final class StageRunTest {
    private static final int HANG_SECONDS = 60;
    private static final int PATIENCE_MILLIS = 200;

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
        spark = new SparkContext(new SparkConf(false)
                .setMaster("local[1]")
                .setAppName("stages")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.local.dir", folder.toString()));
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
    @Timeout(HANG_SECONDS)
    void aStageThatAnotherThreadReadsIsNotClosedWhileItIsAtWork() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        StageRun run = run(new Program() {
            @Override
            public boolean advance(TaskHost host) throws InterruptedException {
                inside.countDown();
                while (!host.isCancelled()) {
                    Thread.onSpinWait();
                }
                Thread.interrupted();
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
    @Timeout(HANG_SECONDS)
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
}
