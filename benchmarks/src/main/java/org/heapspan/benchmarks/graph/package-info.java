/**
 * What {@code ./dev bench giraph} measures, and how its page shows it. Giraph is no part of it, so that all pages can be compared with their figures
 * without Giraph.
 */
@NullMarked
package org.heapspan.benchmarks.graph;

import org.jspecify.annotations.NullMarked;
