/**
 * Cached partitions in a second heap, where the collector does not see them.
 *
 * <p>Entry point: {@link CacheInstallation}, which an executor calls once; {@link SecondHeapPartitions} is what Spark's memory store then calls.
 *
 * <p>Invariants: starting never fails, and what cannot work here leaves the cache to Spark, with the reason in the log and the tab. A partition is in the
 * second heap whole, or Spark's own store gets all of its records. Objects come back as they would from Spark's heap, transient fields included.
 * The bytes never leave their executor.
 *
 * <p>Tests: {@code SecondHeapPartitionsTest}, {@code HeapFolderTest}, {@code SharedGraphPartsTest}, {@code CacheIT}.
 */
@NullMarked
package org.heapspan.spark.cache;

import org.jspecify.annotations.NullMarked;
