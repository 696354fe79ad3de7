/**
 * Nine queries of TPC-H as programs for Flink, whose rows are objects or tuples. And jobs with one exchange, whose records are sent one by one and in
 * groups.
 *
 * <p>Entry point: {@link QueryReport}, the program behind {@code ./dev bench flink-queries}. {@link QueryRun} runs one {@link Query} with one
 * serializer, in a JVM of its own, and {@link ShuffleRun} one {@link Shuffle}.
 *
 * <p>Invariants: money is in cents, so sums are exact, and all serializers and kinds of rows must give the same {@link Answer}. A query knows
 * nothing of the serializer.
 *
 * <p>Tests: {@code QueriesTest} compares the answers with those of DuckDB, and the records that arrive with those of the file.
 */
package org.heapspan.benchmarks.flink.queries;
