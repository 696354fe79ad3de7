package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskResultLost$;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Executors that end by themselves are told from those that others end. */
@Tag("once")
final class CrashedStagesTest {
    private static ExecutorLostFailure lost(boolean causedByApplication, String reason) {
        return new ExecutorLostFailure("1", causedByApplication, Option.apply(reason));
    }

    private static SparkListenerTaskEnd end(int stage, TaskEndReason reason) {
        return new SparkListenerTaskEnd(stage, 0, "ResultTask", reason, null, null, null);
    }

    @Test
    void stagesWithCrashesAreRemembered() {
        CrashedStages listener = new CrashedStages();
        listener.onTaskEnd(end(1, lost(true, "Command exited with code 134")));
        listener.onTaskEnd(end(2, lost(true, "Container exited with a non-zero exit code 139.")));
        listener.onTaskEnd(end(3, lost(true, "")));
        listener.onTaskEnd(end(4, lost(true, "Command exited with code 137")));
        listener.onTaskEnd(end(5, lost(true, "The executor with id 1 exited with exit code 143(SIGTERM).")));
        listener.onTaskEnd(end(6, lost(false, "worker lost: host is gone")));
        listener.onTaskEnd(end(7, TaskResultLost$.MODULE$));
        assertThat(CrashedStages.numbers()).containsExactlyInAnyOrder(1, 2, 3);
        listener.onApplicationEnd(new SparkListenerApplicationEnd(0, Option.empty()));
        assertThat(CrashedStages.numbers()).isEmpty();
    }
}
