package org.heapspan.tests.spark.jobs;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/** Jobs whose cached partitions cannot be read any more: somebody has cut off the files of the executors' second heaps. */
final class DamagedCache {
    private static final int EXECUTOR_TASKS = 8;

    private final JavaSparkContext context;

    DamagedCache(JavaSparkContext context) {
        this.context = context;
    }

    /** Of partitions that each task reads once. */
    String read(StorageLevel level) throws Exception {
        return outcome(level, false);
    }

    /** Of partitions of which each task reads two copies at the same time. */
    String readTwiceAtATime() throws Exception {
        return outcome(StorageLevel.MEMORY_ONLY(), true);
    }

    private String outcome(StorageLevel level, boolean twice) throws Exception {
        Watch watch = new Watch();
        context.sc().addSparkListener(watch);
        JavaRDD<Event> cached = new FaultyJob(context).events().persist(level);
        long partitions = cached.getNumPartitions();
        cached.count();
        long damaged = onEachExecutor();
        JavaRDD<Event> events = twice ? cached.zip(cached).map(Tuple2::_1) : cached;
        String outcome = FaultyJob.outcome(
                () -> FaultyJob.digests(FaultyJob.grouped(events)).collect());
        long again = Stream.of(context.sc().getRDDStorageInfo())
                .filter(info -> info.id() == cached.id())
                .mapToLong(RDDInfo::numCachedPartitions)
                .sum();
        cached.unpersist(true);
        // Waits for what listeners are still told.
        ShuffleTotals.awaitListeners(context);
        context.sc().removeSparkListener(watch);
        return outcome + ", files damaged: " + (damaged > 0) + ", tasks failed: " + (watch.failed.get() > 0)
                + ", cached again: " + (again == partitions) + ", executors lost: " + watch.lost.get();
    }

    /** Cuts off all files; returns how many there were. */
    private long onEachExecutor() {
        return context.parallelize(IntStream.range(0, EXECUTOR_TASKS).boxed().toList(), EXECUTOR_TASKS)
                .map(any -> {
                    Thread.sleep(100); // so that no executor does it all
                    List<Path> files = LocalFiles.ofSecondHeaps();
                    LocalFiles.cutOff(files);
                    return files.size();
                })
                .reduce(Integer::sum);
    }

    private static final class Watch extends SparkListener {
        final AtomicInteger failed = new AtomicInteger();
        final AtomicInteger lost = new AtomicInteger();

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            if (end.taskInfo().failed()) {
                failed.incrementAndGet();
            }
        }

        @Override
        public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
            lost.incrementAndGet();
        }
    }
}
