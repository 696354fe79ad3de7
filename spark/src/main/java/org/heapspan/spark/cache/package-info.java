/**
 * Cached partitions of Spark in a second heap, which the garbage collector does not scan.
 *
 * <p>Entry point: {@link CacheInstallation}, which an executor calls once; {@link SecondHeapPartitions}, which Spark's memory store then calls.
 *
 * <p>Invariants: the start never fails: if the second heap cannot work, Spark's own store keeps the cache, and log and tab give the reason. A partition
 * is in the second heap as a whole, or in Spark's own store as a whole. Objects are as they would be in Spark's own store, with their transient
 * fields. The bytes stay in their executor.
 *
 * <p>Tests: {@code CacheInstallationTest}, {@code SecondHeapPartitionsTest}, {@code HeapFolderTest}, {@code SharedGraphPartsTest}, {@code CacheIT}.
 */
@NullMarked
package org.heapspan.spark.cache;

import org.jspecify.annotations.NullMarked;
