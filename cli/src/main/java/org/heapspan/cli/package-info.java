/** The command {@code heapspan}. */
@NullMarked
package org.heapspan.cli;

import org.jspecify.annotations.NullMarked;
