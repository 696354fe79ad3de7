/** The global heap against local decoding, a bare connection and other serializers: {@code ./dev bench exchange}. */
@NullMarked
package org.heapspan.benchmarks.exchange;

import org.jspecify.annotations.NullMarked;
