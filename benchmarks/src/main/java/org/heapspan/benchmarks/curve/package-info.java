/** Curves: encode, decode and bytes over the number of elements of an object, and over threads. */
@NullMarked
package org.heapspan.benchmarks.curve;

import org.jspecify.annotations.NullMarked;
