package org.heapspan.exchange.metadata;

import java.io.IOException;
import org.heapspan.exchange.wire.KeyRecord;

/** Takes down changes of keys before anybody sees them. */
public interface KeyLog {
    /** Of a server whose keys end with it. */
    KeyLog NONE = record -> {};

    /**
     * A key is about to change.
     *
     * @throws IOException if that could not be taken down: the key does not change then
     */
    void add(KeyRecord record) throws IOException;
}
