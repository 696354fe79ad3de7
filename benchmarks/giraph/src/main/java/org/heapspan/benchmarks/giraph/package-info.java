/** Jobs on Giraph in memory, out of core, and with edges and messages in the second heap ({@code docs/benchmarks-giraph.md}). */
package org.heapspan.benchmarks.giraph;
