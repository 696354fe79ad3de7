/**
 * The adapter for Apache Giraph: edges and messages in the second heap ({@code docs/giraph.md}).
 *
 * <p>What users name in settings: {@link org.heapspan.giraph.SecondHeapEdges}, {@link org.heapspan.giraph.SecondHeapMessageStoreFactory} and
 * {@link org.heapspan.giraph.SecondHeapObserver}. {@link org.heapspan.giraph.WorkerSettings} has the keys.
 *
 * <p>Inside: {@link org.heapspan.giraph.WorkerHeap} is the second heap of one worker. {@link org.heapspan.giraph.EdgePage} holds the edges of
 * many vertices, and {@link org.heapspan.giraph.PartitionMessages} the messages to one partition.
 *
 * <p>Settings are texts in the configuration of Giraph. Hadoop replaces variables in them, and reads sizes. Keys of the adapter for Spark are texts in
 * the configuration of Spark, which reads sizes in its own way. So each adapter reads texts by itself. What both make of them, the options of a second
 * heap, is {@link org.heapspan.h2.SecondHeapOptions}.
 *
 * <p>Tests: {@code EdgePageTest}, {@code SecondHeapEdgesTest}, {@code ChangedEdgesTest}, {@code SecondHeapMessageStoreTest},
 * {@code SecondHeapObserverTest}, {@code WorkerSettingsTest}; with jobs {@code
 * GiraphJobsTest}, {@code ChangingGraphTest}, {@code FullStorageTest}, {@code GraphalyticsTest} and {@code KilledWorkerTest}.
 */
@NullMarked
package org.heapspan.giraph;

import org.jspecify.annotations.NullMarked;
