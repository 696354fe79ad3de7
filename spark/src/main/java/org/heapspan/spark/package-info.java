/**
 * Adapter for Apache Spark: what users name in settings and on command lines, and the two sides of the plug-in.
 *
 * <p>Entry points: {@link HeapspanPlugin}, {@link HeapspanSerializer} and {@link ClassDataTraining}, whose names are fixed. {@link HeapspanDriver} puts
 * the parts in, one {@code Installation} for each, before any executor exists; {@link HeapspanExecutor} does what each JVM does for itself.
 *
 * <p>Invariants: a part that cannot work here says so in one line and leaves Spark as it is without it; only a wrong value of a key keeps an application from
 * starting. The packages below refer only to those before them: {@code settings}, {@code statistics}, {@code report}, {@code types}, {@code record},
 * {@code cache}, {@code estimate}, {@code direct}, {@code tab}. What reaches into Spark further than its public interfaces is in {@code org.apache.spark.heapspan}.
 *
 * <p>Tests: {@code HeapspanSerializerTest}, {@code OlderSparkTest}; on real Spark {@code JobsIT}, {@code SettingsIT} and their neighbours.
 */
@NullMarked
package org.heapspan.spark;

import org.jspecify.annotations.NullMarked;
