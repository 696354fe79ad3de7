/** Queries of TPC-H as programs for Flink, whose rows are objects or tuples. */
package org.heapspan.benchmarks.flink.queries;
