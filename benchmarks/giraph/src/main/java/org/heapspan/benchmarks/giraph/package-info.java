/**
 * Jobs on Giraph with edges and messages in memory, out of core, and in the second heap ({@code docs/benchmarks-giraph.md}).
 *
 * <p>Entry point: {@link GiraphReport}, the program behind {@code ./dev bench giraph}. {@link JobProcess} runs each job in a JVM of its own, by
 * {@link GiraphRun}.
 *
 * <p>Invariants: the ways differ in settings only. All must find the same {@link Results}, or the run fails.
 *
 * <p>Tests: {@code GraphFileTest}; the jobs themselves are tested in the module {@code giraph}.
 */
package org.heapspan.benchmarks.giraph;
