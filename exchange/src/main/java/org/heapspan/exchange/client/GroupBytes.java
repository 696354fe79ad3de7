package org.heapspan.exchange.client;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes something of the bytes of a group.
 *
 * @param <T> what it makes, or null
 */
public interface GroupBytes<T> {
    /** Their checksum has been compared. The buffers are valid as long as this runs. */
    @Nullable
    T from(ByteBuffer[] pieces);
}
