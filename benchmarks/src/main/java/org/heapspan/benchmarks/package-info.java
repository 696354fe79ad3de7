/** JMH benchmarks and the comparisons that docs/benchmarks.md reports. */
@NullMarked
package org.heapspan.benchmarks;

import org.jspecify.annotations.NullMarked;
