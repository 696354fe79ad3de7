/**
 * What a server knows: addresses, groups, keys, sessions and leases (ZCOT section 4.2). Never touches the bytes of a group. Internal.
 *
 * <p>Entry point: {@link Metadata}. {@link AddressSpace} hands out addresses, and never the same one twice. {@link CopySets} knows which keepers have
 * joined. {@link Copies} is what such a keeper has.
 *
 * <p>Invariants: a group lives while a key, a lease, a hand-over or another group refers to it. A group that is not committed is invisible.
 *
 * <p>Tests: {@code MetadataTest}, {@code AddressSpaceTest}, {@code CopiesTest}.
 */
@NullMarked
package org.heapspan.exchange.metadata;

import org.jspecify.annotations.NullMarked;
