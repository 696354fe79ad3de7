/**
 * The client: connections, leases, and the bytes of groups, which it maps on the host of the server and fetches elsewhere. Internal.
 *
 * <p>Entry point: {@link ExchangeClient}. {@link Connection} is one connection, {@link ChunkMappings} are the files of the keeper, {@link ImageBytes}
 * is an image that is being written.
 *
 * <p>Invariants: every wait has a deadline. A server can lie, and harms nothing but its own answers. What is not used any more is released in
 * batches, also when a program forgets it (ZCOT section 4.4).
 *
 * <p>Tests: {@code GlobalHeapTest}, {@code HostileBytesTest}.
 */
@NullMarked
package org.heapspan.exchange.client;

import org.jspecify.annotations.NullMarked;
