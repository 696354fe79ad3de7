/** Queries of TPC-H as programs for Flink, whose rows are objects. */
package org.heapspan.benchmarks.flink.queries;
