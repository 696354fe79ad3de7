/** A job for Flink that uses Heapspan. */
package org.heapspan.examples.flink;
