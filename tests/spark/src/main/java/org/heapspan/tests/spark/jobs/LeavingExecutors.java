package org.heapspan.tests.spark.jobs;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.cluster.CoarseGrainedSchedulerBackend;
import scala.Option;

/**
 * A job of which an executor is told to leave between the stage that writes a shuffle and the stage that reads it, as cluster managers do before they
 * take a machine away: its shuffle files must move to the other executor.
 */
final class LeavingExecutors {
    private static final int MOST_SECONDS = 120;

    private final JavaSparkContext context;

    LeavingExecutors(JavaSparkContext context) {
        this.context = context;
    }

    /** What became of the job, and how many map tasks ran after the executor had left. */
    String decommissioned() throws InterruptedException {
        Watch watch = new Watch();
        context.sc().addSparkListener(watch);
        var grouped = FaultyJob.grouped(new FaultyJob(context).events());
        JavaRDD<String> digests = FaultyJob.digests(grouped);
        // Writes the files, which the next job finds.
        grouped.count();
        watch.written.await(MOST_SECONDS, TimeUnit.SECONDS);
        var cluster = (CoarseGrainedSchedulerBackend) context.sc().schedulerBackend();
        String leaving = watch.executor;
        if (!cluster.decommissionExecutor(
                leaving, new ExecutorDecommissionInfo("the test says so", Option.empty()), false, false)) {
            return "executor " + leaving + " was not told to leave";
        }
        if (!watch.left.await(MOST_SECONDS, TimeUnit.SECONDS)) {
            return "executor " + leaving + " has not left";
        }
        int before = watch.mapTasks.get();
        String outcome = FaultyJob.outcome(digests::collect);
        return outcome + ", map tasks done again: " + (watch.mapTasks.get() - before);
    }

    private static final class Watch extends SparkListener {
        final CountDownLatch written = new CountDownLatch(1);
        final CountDownLatch left = new CountDownLatch(1);
        final AtomicInteger mapTasks = new AtomicInteger();

        /** One that has shuffle files. */
        volatile String executor = "";

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            if (end.taskType().equals("ShuffleMapTask")) {
                mapTasks.incrementAndGet();
                if (executor.isEmpty()) {
                    executor = end.taskInfo().executorId();
                    written.countDown();
                }
            }
        }

        @Override
        public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
            if (removed.executorId().equals(executor)) {
                left.countDown();
            }
        }
    }
}
