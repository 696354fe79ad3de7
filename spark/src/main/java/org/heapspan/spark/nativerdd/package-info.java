/**
 * Native RDD programs on Spark: the driver side of a program builds RDDs of Spark, and its stages run in Spark's tasks.
 *
 * <p>Entry points: {@link NativeMain}, which {@code heapspan native run} starts; {@link ProgramDriver}, what the driver side calls; {@link StageRun}, a
 * stage in a task, and {@link TaskWorker}, the process in which it runs after a failure; {@link NativePrograms}, for other applications.
 *
 * <p>Invariants: scheduling, lineage, shuffle files, cache, locality and speculation are Spark's. The elements of all RDDs are {@link RddBatch}es, which
 * only {@link BatchLoan} takes and gives back. What a task holds outside of the heap is freed when it ends, however it ends. What leaves a process and its worker
 * goes through Spark's streams, which compress and encrypt as its settings say. An application that uses no native program loads no class of this
 * package.
 *
 * <p>Tests: {@code LineBlocksTest}, {@code LinesTest}, {@code ValuesTest}, {@code RddBatchTest}, {@code CrashedStagesTest}; on real Spark {@code NativeProgramIT}.
 */
@NullMarked
package org.heapspan.spark.nativerdd;

import org.jspecify.annotations.NullMarked;
