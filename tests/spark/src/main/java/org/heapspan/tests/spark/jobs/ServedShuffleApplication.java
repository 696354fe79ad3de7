package org.heapspan.tests.spark.jobs;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.storage.StorageLevel;

/**
 * A job all of whose executors are killed between the stage that writes a shuffle and the stage that reads it: {@code results}. Where a service
 * serves their files, the next executors find the shuffle and the partitions on disk.
 */
public final class ServedShuffleApplication {
    private static final int MOST_SECONDS = 120;

    private ServedShuffleApplication() {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            Executors.tellSerializers(context, results);
            Watch watch = new Watch();
            context.sc().addSparkListener(watch);
            var computed = context.sc().longAccumulator();
            var kept = new FaultyJob(context)
                    .events()
                    .map(event -> {
                        computed.add(1);
                        return event;
                    })
                    .persist(StorageLevel.DISK_ONLY());
            String before = Results.digest(kept.collect());
            var grouped = FaultyJob.grouped(new FaultyJob(context).events());
            var digests = FaultyJob.digests(grouped);
            grouped.count();
            ShuffleTotals.awaitListeners(context);
            int mapTasks = watch.mapTasks.get();
            long computedBefore = computed.value();

            int killed = kill(context);
            for (int i = 0; watch.removed.get() < killed && i < 10 * MOST_SECONDS; i++) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            results.put("executors killed", killed > 0 && watch.removed.get() >= killed);
            results.put("shuffled", FaultyJob.outcome(digests::collect));
            results.put("cached", Results.digest(kept.collect()).equals(before));
            ShuffleTotals.awaitListeners(context);
            results.put("map tasks done again", watch.mapTasks.get() - mapTasks);
            results.put("records computed again", computed.value() - computedBefore);
        }
        results.write(arguments[0]);
    }

    /** Kills the processes of all executors, and says how many. */
    private static int kill(JavaSparkContext context) throws InterruptedException {
        Set<Long> processes =
                new TreeSet<>(context.parallelize(IntStream.range(0, 12).boxed().toList(), 12)
                        .map(any -> {
                            Thread.sleep(200); // so that no executor does it all
                            return ProcessHandle.current().pid();
                        })
                        .collect());
        processes.forEach(process -> ProcessHandle.of(process).ifPresent(ProcessHandle::destroyForcibly));
        return processes.size();
    }

    private static final class Watch extends SparkListener {
        final AtomicInteger mapTasks = new AtomicInteger();
        final AtomicInteger removed = new AtomicInteger();

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            if (end.taskType().equals("ShuffleMapTask")) {
                mapTasks.incrementAndGet();
            }
        }

        @Override
        public void onExecutorRemoved(SparkListenerExecutorRemoved gone) {
            removed.incrementAndGet();
        }
    }
}
