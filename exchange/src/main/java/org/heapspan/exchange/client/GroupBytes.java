package org.heapspan.exchange.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes something of the bytes of a group.
 *
 * @param <T> what it makes, or null
 */
public interface GroupBytes<T> {
    /** From the files of the keeper, whose checksum has been compared. The buffers are valid as long as this runs. */
    @Nullable
    T fromMemory(ByteBuffer[] pieces) throws IOException;

    /** From a connection. The checksum is compared afterwards. */
    @Nullable
    T fromStream(InputStream stream) throws IOException;
}
