package org.heapspan.exchange.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
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

    /**
     * Whether it needs all bytes before it can begin.
     *
     * @param first the first bytes of the group, at least eight or all of them
     */
    boolean needsAll(ByteBuffer first);

    /** Makes it while the bytes arrive. Their checksum is compared at the end, and what was made is thrown away if it is wrong. */
    @Nullable
    T from(ReadableByteChannel arriving) throws IOException;
}
