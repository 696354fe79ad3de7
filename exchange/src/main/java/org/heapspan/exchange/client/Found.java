package org.heapspan.exchange.client;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What was found under a key: a group that is leased, or the bytes of a short one, which is not.
 *
 * @param lease to be released, or null if the bytes have come
 * @param bytes an image with the checksum of its group
 */
public record Found(@Nullable Lease lease, ByteBuffer bytes) {}
