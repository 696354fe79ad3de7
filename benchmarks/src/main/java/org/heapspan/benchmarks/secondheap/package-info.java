/** The second heap against copies of bytes, other serializers and the Java heap: {@code ./dev bench h2}. */
@NullMarked
package org.heapspan.benchmarks.secondheap;

import org.jspecify.annotations.NullMarked;
