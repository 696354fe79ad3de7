/** Objects between two JVMs on one machine: what they cost on the way, over TCP and over a pipe. */
@NullMarked
package org.heapspan.benchmarks.transfer;

import org.jspecify.annotations.NullMarked;
