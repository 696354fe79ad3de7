/**
 * What a server knows: addresses, groups, keys, sessions and leases (ZCOT section 4.2). Never touches the bytes of a group. Internal.
 *
 * <p>Entry point: {@link Metadata}. {@link AddressSpace} hands out addresses, and never the same one twice.
 *
 * <p>Invariants: a group lives while a key, a lease or a hand-over refers to it. A group that is not committed is invisible.
 *
 * <p>Tests: {@code MetadataTest}, {@code AddressSpaceTest}.
 */
@NullMarked
package org.heapspan.exchange.metadata;

import org.jspecify.annotations.NullMarked;
