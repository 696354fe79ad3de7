/** Runnable examples, one idea each, and the demo. */
@NullMarked
package org.heapspan.examples;

import org.jspecify.annotations.NullMarked;
