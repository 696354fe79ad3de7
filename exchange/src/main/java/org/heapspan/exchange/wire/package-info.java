/**
 * The messages of the exchange protocol, and the frames that carry them: {@code docs/formats/exchange-protocol.md}. Internal.
 *
 * <p>Entry points: {@link FrameLink} sends and receives a {@link Message}. {@link SharedSecret} has the proofs of the handshake.
 *
 * <p>Invariants: nothing of an announced length is allocated before the length is checked. Bytes that are no message throw a {@link
 * MalformedFrameException}.
 *
 * <p>Tests: {@code FrameLinkTest}, {@code HostileBytesTest}.
 */
@NullMarked
package org.heapspan.exchange.wire;

import org.jspecify.annotations.NullMarked;
