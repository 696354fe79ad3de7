package org.heapspan.spark.nativerdd;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.jspecify.annotations.Nullable;

/** A partition of a stage, and the partitions that it reads. */
final class StagePartition implements Partition {
    private static final long serialVersionUID = 1L;

    private final int index;

    /** Null in executors. */
    private final transient RDD<?> @Nullable [] inputs;

    private final int[] numbers;

    /** What they are when the task is sent: a checkpoint replaces the partitions of an RDD. */
    private Partition[] partitions;

    /** {@link CrashedStages} when the task is sent. */
    private int[] crashedStages = {};

    StagePartition(int index, RDD<?>[] inputs, int[] numbers) {
        this.index = index;
        this.inputs = inputs;
        this.numbers = numbers;
        partitions = current(inputs, numbers);
    }

    private static Partition[] current(RDD<?>[] inputs, int[] numbers) {
        Partition[] current = new Partition[inputs.length];
        for (int i = 0; i < current.length; i++) {
            current[i] = inputs[i].partitions()[numbers[i]];
        }
        return current;
    }

    @Override
    public int index() {
        return index;
    }

    Partition input(int number) {
        return partitions[number];
    }

    /** Whether the task is of a stage in which an executor has ended by itself. */
    boolean isAfterCrash(TaskContext context) {
        return Arrays.stream(crashedStages).anyMatch(stage -> stage == context.stageId());
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
        RDD<?>[] known = inputs;
        if (known != null) {
            partitions = current(known, numbers);
            crashedStages = CrashedStages.numbers();
        }
        out.defaultWriteObject();
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return index;
    }
}
