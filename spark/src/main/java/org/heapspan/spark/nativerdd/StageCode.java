package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import org.apache.spark.heapspan.FreeStorage;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeWorker;
import org.heapspan.nativerdd.ProgramHost;
import org.heapspan.nativerdd.RunningStage;
import org.heapspan.nativerdd.StageTask;
import org.heapspan.nativerdd.TaskHost;
import org.jspecify.annotations.Nullable;

/**
 * What a stage runs, in each of its tasks.
 *
 * @param program the program
 * @param kernel as in {@link StageTask}
 * @param operators as in {@link StageTask}
 * @param captures what the code has captured, if that is small
 * @param largeCaptures the same if that is large
 * @param outputPartitions as in {@link StageTask}
 * @param shared broadcasts and accumulators
 */
record StageCode(
        ShippedProgram program,
        long kernel,
        String operators,
        byte[] captures,
        @Nullable SentBytes largeCaptures,
        int outputPartitions,
        SharedValues shared)
        implements StageRun.Code, Serializable {

    /** Captures of more bytes are sent once to each executor instead of once with each task. */
    static final int LARGE_CAPTURES_BYTES = 64 << 10;

    static StageCode of(
            ShippedProgram program,
            ProgramHost.StagePlan plan,
            byte[] captures,
            @Nullable SentBytes largeCaptures,
            SharedValues shared) {
        return new StageCode(
                program, plan.kernel(), plan.operators(), captures, largeCaptures, plan.outputPartitions(), shared);
    }

    @Override
    public NativeBatch openCaptures() {
        return largeCaptures == null ? NativeBatch.copyOf(captures) : BroadcastMemory.valueOf(largeCaptures);
    }

    @Override
    public RunningStage open(
            int partition, int attempt, int inputs, NativeBatch memory, TaskHost host, @Nullable NativeWorker worker) {
        StageTask task = new StageTask(
                kernel, operators, partition, attempt, inputs, outputPartitions, memory, FreeStorage.sizeBytes());
        return worker == null
                ? program.load().openStage(task, host)
                : worker.openStage(program.path(), program.buildId(), program.name(), task, host);
    }
}
