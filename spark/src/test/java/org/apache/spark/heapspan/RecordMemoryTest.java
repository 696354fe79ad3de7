package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With Spark's own accounts of memory, of which the only task may have all. */
@Tag("once")
final class RecordMemoryTest {
    private static final long ALL_BYTES = 100 << 20;
    private static final long LEAST_STEP_BYTES = 256 << 10;
    private static final long LARGEST_STEP_BYTES = 16 << 20;

    private final UnifiedMemoryManager executor = new UnifiedMemoryManager(new SparkConf(false), ALL_BYTES, 0, 1);
    private final TaskMemoryManager task = new TaskMemoryManager(executor, 0);
    private final List<String> requests = new ArrayList<>();
    private final RecordMemory memory = new RecordMemory(task, this::spillForOthers);

    private long spillForOthers() {
        requests.add("spill");
        return memory.release();
    }

    /** Another part of the same task, such as a sort within the iterator that delivers the records. */
    private static final class Neighbour extends MemoryConsumer {
        Neighbour(TaskMemoryManager task) {
            super(task, MemoryMode.ON_HEAP);
        }

        @Override
        public long spill(long bytes, MemoryConsumer trigger) {
            return 0;
        }
    }

    @Test
    void memoryIsTakenInStepsSoThatItIsNotAskedForWithEachRecord() {
        assertThat(memory.reserve(1000)).isTrue();
        assertThat(memory.getUsed()).isEqualTo(1000 + LEAST_STEP_BYTES);
        assertThat(memory.reserve(1000 + LEAST_STEP_BYTES)).isTrue();
        assertThat(memory.getUsed()).as("what was there is enough").isEqualTo(1000 + LEAST_STEP_BYTES);
        long much = 4 << 20;
        assertThat(memory.reserve(much)).isTrue();
        assertThat(memory.getUsed()).isEqualTo(much + much / 2);
        long more = 60 << 20;
        assertThat(memory.reserve(more)).isTrue();
        assertThat(memory.getUsed()).isEqualTo(more + LARGEST_STEP_BYTES);
        assertThat(executor.executionMemoryUsed()).as("what Spark knows").isEqualTo(memory.getUsed());
    }

    @Test
    void whereThereIsTooLittleItSaysSoAndKeepsWhatItGot() {
        assertThat(memory.reserve(ALL_BYTES + 1)).isFalse();
        assertThat(memory.getUsed()).isEqualTo(ALL_BYTES);
        assertThat(memory.reserve(ALL_BYTES)).isTrue();
        assertThat(requests).as("for its own needs the owner is not asked").isEmpty();
    }

    @Test
    void allIsGivenBackAndThePeakIsRemembered() {
        memory.reserve(8 << 20);
        long usedBytes = memory.getUsed();
        assertThat(memory.release()).isEqualTo(usedBytes);
        assertThat(memory.release()).isZero();
        assertThat(executor.executionMemoryUsed()).isZero();
        memory.reserve(1000);
        assertThat(memory.peakBytes()).isEqualTo(usedBytes);
        memory.release();
        assertThat(task.cleanUpAllAllocatedMemory()).as("leaked").isZero();
    }

    @Test
    void theOwnerSpillsForOthersOfTheTask() {
        assertThat(memory.reserve(ALL_BYTES - (20 << 20))).isTrue();
        Neighbour neighbour = new Neighbour(task);
        assertThat(neighbour.acquireMemory(50 << 20)).isEqualTo(50 << 20);
        assertThat(requests).containsExactly("spill");
        assertThat(memory.getUsed()).isZero();
        neighbour.freeMemory(neighbour.getUsed());
    }

    @Test
    void anOwnerThatCannotSpillNowKeepsItsMemory() {
        RecordMemory busy = new RecordMemory(task, () -> {
            requests.add("not now");
            return 0;
        });
        assertThat(busy.reserve(ALL_BYTES)).isTrue();
        Neighbour neighbour = new Neighbour(task);
        assertThat(neighbour.acquireMemory(1 << 20)).isZero();
        assertThat(requests).containsOnly("not now").isNotEmpty();
        assertThat(busy.getUsed()).isEqualTo(ALL_BYTES);
        busy.release();
    }
}
