/**
 * The Spark plug-in: the classes that users name in settings and on command lines, the driver side and the executor side.
 *
 * <p>Entry points: {@link HeapspanPlugin}, {@link HeapspanSerializer} and {@link ClassDataTraining}, whose names are fixed. {@link HeapspanDriver} installs
 * the parts, one {@code Installation} each, before any executor exists. {@link HeapspanExecutor} runs in each JVM. The shuffle manager and the writer of
 * shuffles are {@code HeapspanShuffleManager} and {@code GroupShuffleWriter} in {@code org.apache.spark.heapspan}.
 *
 * <p>Invariants: if a part cannot work, it logs one line and Spark keeps its own part. Only an invalid setting stops the start of an
 * application. Each package below refers only to packages before it in this list: {@code nativerdd}, {@code settings}, {@code statistics}, {@code report},
 * {@code types}, {@code keys}, {@code record}, {@code aggregate}, {@code broadcast}, {@code cache}, {@code estimate}, {@code direct}, {@code tab}. Code that
 * uses internal classes of Spark is in {@code org.apache.spark.heapspan}.
 *
 * <p>Tests: {@code HeapspanSerializerTest}, {@code NestedStreamsTest}, {@code OlderSparkTest}; on real Spark {@code JobsIT}, {@code SettingsIT} and their neighbours.
 */
@NullMarked
package org.heapspan.spark;

import org.jspecify.annotations.NullMarked;
