package org.heapspan.spark;

import java.util.Set;

/**
 * Streams of a serializer within streams of Java serialization: objects of a collection that is parallelized, and bounds of a partitioner by ranges. They are
 * parts of a task. Java serialization, as Spark's serializer, writes them like the rest of the task. Then their classes are found where those of the task are,
 * by the loader of its session. The loader that Spark has set for the serializer does not know the classes of a session that has jars of its own.
 *
 * <p>Relies on {@code core/.../rdd/ParallelCollectionRDD.scala}, {@code core/.../Partitioner.scala}, and {@code core/.../executor/Executor.scala} (the context
 * loader of a task) of Spark 4.3.
 */
final class NestedStreams {
    private static final Set<String> OWNERS =
            Set.of("org.apache.spark.rdd.ParallelCollectionPartition", "org.apache.spark.RangePartitioner");

    private NestedStreams() {}

    /**
     * Whether an instance of the serializer that is asked for now is for such a stream.
     *
     * @return true if it is
     */
    static boolean isNext() {
        return StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .dropWhile(name ->
                                name.startsWith("org.apache.spark.heapspan.") || name.startsWith("org.heapspan."))
                        .findFirst()
                        .filter(OWNERS::contains)
                        .isPresent());
    }
}
