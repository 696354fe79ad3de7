package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.heapspan.flink.Samples.Trade;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs with keyed state on a cluster of processes, whose TaskManagers are killed. Flink hands results to the client when a checkpoint has them. So
 * a job that lost its state, or counted a record twice, would give numbers twice or not at all.
 */
@Tag("once")
final class KilledTaskManagerTest {
    private static final int KEYS = 50;

    /** Records come slowly, 100 in a second in each of two tasks, until all TaskManagers to kill are dead. */
    private static final int RECORDS_FOR_EACH_SECOND = 200;

    @TempDir
    Path folder;

    @Test
    void eachRecordCountsOnceIfATaskManagerIsKilled() throws Exception {
        run(1, "300 ms", 200 * RECORDS_FOR_EACH_SECOND);
    }

    @Tag("soak")
    @Test
    void eachRecordCountsOnceIfTaskManagersAreKilledAgainAndAgain() throws Exception {
        run(5, "2 s", 1200 * RECORDS_FOR_EACH_SECOND);
    }

    private void run(int kills, String interval, int records) throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(folder)) {
            Deque<Process> taskManagers = new ArrayDeque<>();
            taskManagers.add(cluster.startTaskManager());
            taskManagers.add(cluster.startTaskManager());
            cluster.awaitTaskManagers(2);
            Path hurry = folder.resolve("hurry");
            List<Results> all = List.of(
                    new Results(cluster.environment(ofJob("hashmap", interval)), records, hurry),
                    new Results(cluster.environment(ofJob("rocksdb", interval)), records, hurry));
            for (int kill = 0; kill < kills; kill++) {
                Process victim = taskManagers.remove();
                cluster.await(
                        "both jobs have results of TaskManager " + victim.pid(),
                        () -> all.stream().allMatch(results -> results.isEnded() || results.haveSome(victim)));
                assertThat(all).noneMatch(Results::isEnded);
                victim.destroyForcibly().waitFor();
                if (kill + 1 < kills) {
                    taskManagers.add(cluster.startTaskManager());
                }
            }
            Files.createFile(hurry);
            for (Results results : all) {
                cluster.await("a job has ended", results::isEnded);
                results.check(records, kills);
            }
        }
    }

    private Configuration ofJob(String backend, String interval) {
        Configuration configuration = new Configuration();
        configuration.setString("state.backend.type", backend);
        configuration.setString("execution.checkpointing.interval", interval);
        // RocksDB's checkpoints then have the files that are new; `hashmap` writes all of its state.
        configuration.setString("execution.checkpointing.incremental", "true");
        configuration.setString(
                "execution.checkpointing.dir",
                folder.resolve("checkpoints").toUri().toString());
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "100");
        // Until then the JobManager knows that the TaskManager is dead. If it gave tasks to it, they would fail at
        // once, and the sink would be cancelled while
        // it starts. A sink that is cancelled then ends its TaskManager (a NullPointerException in Flink's
        // CollectSinkFunction.accumulateFinalResults).
        configuration.setString("restart-strategy.fixed-delay.delay", "3 s");
        return configuration;
    }

    /** What the client of a job gets while it runs. */
    private static final class Results {
        private final List<Trade> received = new ArrayList<>();
        private final Set<Long> processes = ConcurrentHashMap.newKeySet();
        private final CompletableFuture<Void> end;

        Results(StreamExecutionEnvironment environment, int records, Path hurry) throws Exception {
            DataStream<Trade> counts = SurvivingCounts.of(environment, records, KEYS, hurry);
            CloseableIterator<Trade> iterator = counts.executeAndCollect("counts");
            end = CompletableFuture.runAsync(() -> iterator.forEachRemaining(this::receive));
        }

        private void receive(Trade trade) {
            received.add(trade);
            processes.add((long) trade.price);
        }

        boolean haveSome(Process process) {
            return processes.contains(process.pid());
        }

        boolean isEnded() {
            return end.isDone();
        }

        void check(int records, int kills) throws Exception {
            end.get();
            assertThat(processes).hasSizeGreaterThan(kills);
            assertThat(received.stream().mapToLong(trade -> trade.id).sorted().toArray())
                    .isEqualTo(LongStream.rangeClosed(1, records).toArray());
            for (int key = 0; key < KEYS; key++) {
                String name = "key " + key;
                assertThat(received.stream()
                                .filter(trade -> trade.symbol.equals(name))
                                .mapToInt(trade -> trade.amount)
                                .sorted()
                                .toArray())
                        .isEqualTo(IntStream.rangeClosed(1, records / KEYS).toArray());
            }
        }
    }
}
