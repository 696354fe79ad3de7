/**
 * Five of the algorithms of LDBC Graphalytics as jobs for Giraph ({@code docs/giraph.md}).
 *
 * <p>Entry points: {@link PageRank}, {@link ConnectedComponents}, {@link BreadthFirstSearch}, {@link LabelPropagation} and {@link ShortestPaths}.
 * {@link AdjacencyInputFormat} reads their graphs.
 *
 * <p>Invariants: there is no code for Heapspan. Settings decide where edges and messages are. Results are those that LDBC Graphalytics defines.
 *
 * <p>Tests: {@code GraphalyticsTest} and {@code GiraphJobsTest}, in the module {@code giraph}.
 */
package org.heapspan.examples.giraph;
