package org.heapspan.spark.nativerdd;

import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** In the driver: the stages of Spark in which an executor has ended by itself. When Spark repeats such a stage, it counts attempts of tasks anew. */
final class CrashedStages extends SparkListener {
    private static final Set<Integer> NUMBERS = ConcurrentHashMap.newKeySet();

    /** Guarded by itself. */
    private static final Map<SparkContext, CrashedStages> LISTENERS = new WeakHashMap<>();

    /** Exit codes of processes that others have killed; an executor that is lost with its machine has none. */
    private static final Pattern KILLED = Pattern.compile("\\b(137|143)\\b");

    static void watch(SparkContext context) {
        synchronized (LISTENERS) {
            LISTENERS.computeIfAbsent(context, key -> {
                CrashedStages listener = new CrashedStages();
                key.addSparkListener(listener);
                return listener;
            });
        }
    }

    /** Their numbers so far. */
    static int[] numbers() {
        return NUMBERS.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
        if (event.reason() instanceof ExecutorLostFailure lost && isCrash(lost)) {
            NUMBERS.add(event.stageId());
        }
    }

    static boolean isCrash(ExecutorLostFailure lost) {
        return lost.exitCausedByApp()
                && !KILLED.matcher(lost.reason().getOrElse(() -> "")).find();
    }

    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd event) {
        NUMBERS.clear();
        // In local mode, this JVM is the executor, too.
        BatchLoan.forgetAll();
        BroadcastMemory.forgetAll();
    }
}
