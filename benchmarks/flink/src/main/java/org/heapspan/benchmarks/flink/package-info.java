/** Measures serializers of Flink. */
package org.heapspan.benchmarks.flink;
