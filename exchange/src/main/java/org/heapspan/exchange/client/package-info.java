/**
 * The client: connections, leases, and the bytes of groups, which it maps on the host of the server and fetches elsewhere. Internal.
 *
 * <p>Entry point: {@link ExchangeClient}, which writes, and passes on what others do. {@link LeasedBytes} reads what {@link Leases} finds, and {@link
 * Releases} gives it back. All of them use {@link Connections}; {@link Connection} is one of them. None knows one that was named before it. {@link
 * ChunkMappings} are the files of the keeper, {@link ImageBytes} is an image that is being written.
 *
 * <p>Invariants: every wait has a deadline. A server can lie, and harms nothing but its own answers. What is not used any more is released in
 * batches, also when a program forgets it (ZCOT section 4.4).
 *
 * <p>Tests: {@code GlobalHeapTest}, {@code HostileBytesTest}, {@code ConnectionsTest}, {@code ReleasesTest}, {@code FetchedBytesTest}.
 */
@NullMarked
package org.heapspan.exchange.client;

import org.jspecify.annotations.NullMarked;
