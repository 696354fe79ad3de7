/** Conformance over pairs of real JVMs, and the soak run. */
@NullMarked
package org.heapspan.tests;

import org.jspecify.annotations.NullMarked;
