/**
 * The classes of the plug-in that use internal classes of Spark ({@code private[spark]}, private fields). All of them are in this package, so that a new
 * version of Spark has to be checked here only. Each class names the source file of Spark that it relies on.
 *
 * <p>Entry points: {@link HeapspanShuffleManager} (shuffles; {@link GroupShuffleWriter} writes map outputs), {@link PartitionStore} (cached partitions in
 * the second heap), {@link HeapspanTab} (the tab of the web UI), {@link EnvironmentSerializer} (the serializer of a running driver).
 *
 * <p>Invariants: nothing here refers to other packages of Heapspan. What does not work with this version of Spark throws when it is put in,
 * and Spark keeps its own part.
 *
 * <p>Tests: {@code OlderSparkTest}; on real Spark {@code JobsIT} and {@code CacheIT}.
 */
@NullMarked
package org.apache.spark.heapspan;

import org.jspecify.annotations.NullMarked;
