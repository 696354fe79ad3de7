package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Properties;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.TaskMemoryManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.collection.immutable.Map$;

/** Whose memory a task takes, with and without Spark's off-heap memory. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class TaskMemoryTest {
    private static final long OFF_HEAP_BYTES = 4 << 20;

    @TempDir
    Path folder;

    private static TaskContext task(TaskMemoryManager memory) {
        return new TaskContextImpl(
                0,
                0,
                0,
                0,
                0,
                1,
                memory,
                new Properties(),
                null,
                TaskMetrics.empty(),
                scala.math.BigDecimal.valueOf(1),
                Map$.MODULE$.empty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void offHeapMemoryIsTakenIfItIsSwitchedOn(boolean offHeap) {
        SparkContext spark = new SparkContext(LocalConf.of(folder, "memory")
                .set("spark.memory.offHeap.enabled", String.valueOf(offHeap))
                .set("spark.memory.offHeap.size", String.valueOf(OFF_HEAP_BYTES)));
        try {
            MemoryManager all = SparkEnv.get().memoryManager();
            TaskMemoryManager ofTask = new TaskMemoryManager(all, 0);
            TaskMemory memory = new TaskMemory(task(ofTask));
            assertThat(memory.reserve(OFF_HEAP_BYTES)).isTrue();
            assertThat(all.offHeapExecutionMemoryUsed()).isEqualTo(offHeap ? OFF_HEAP_BYTES : 0);
            assertThat(all.onHeapExecutionMemoryUsed()).isEqualTo(offHeap ? 0 : OFF_HEAP_BYTES);
            // The heap has room for more, which is not used instead.
            assertThat(memory.reserve(1)).isEqualTo(!offHeap);
            memory.release(OFF_HEAP_BYTES + 1);
            assertThat(all.executionMemoryUsed()).isZero();
            assertThat(ofTask.cleanUpAllAllocatedMemory()).isZero();
        } finally {
            spark.stop();
        }
    }
}
