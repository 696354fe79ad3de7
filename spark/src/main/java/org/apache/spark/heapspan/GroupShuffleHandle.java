package org.apache.spark.heapspan;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.shuffle.BaseShuffleHandle;

/** Tells map tasks that {@link GroupShuffleWriter} is to write; travels to the executors within the dependency. */
final class GroupShuffleHandle<K, V, C> extends BaseShuffleHandle<K, V, C> {
    private static final long serialVersionUID = 1L;

    GroupShuffleHandle(int shuffleId, ShuffleDependency<K, V, C> dependency) {
        super(shuffleId, dependency);
    }
}
