/**
 * Heapspan's serializer of Flink beside Flink's own, one record at a time, without a job.
 *
 * <p>Entry point: {@link SerializerReport}, the program behind {@code ./dev bench flink}. {@link SerializerRun} measures one serializer on one
 * kind of record, in a JVM of its own.
 *
 * <p>Invariants: all serializers get the same {@link Records}. What was measured in one JVM cannot change the code that the JIT compiler has made
 * for another.
 *
 * <p>Tests: {@code PublishedFiguresTest} compares {@code docs/benchmarks-flink.md} with its file of figures.
 */
package org.heapspan.benchmarks.flink;
