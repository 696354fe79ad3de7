/** Whole Spark applications with different serializers: what runs them, measures them and draws what came of it. */
package org.heapspan.benchmarks.spark;
