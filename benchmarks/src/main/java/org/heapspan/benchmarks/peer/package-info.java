/** The serializers of the codec benchmark, each behind the one interface {@link org.heapspan.benchmarks.peer.Peer}. */
@NullMarked
package org.heapspan.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
