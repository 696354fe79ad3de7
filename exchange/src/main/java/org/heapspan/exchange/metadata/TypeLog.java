package org.heapspan.exchange.metadata;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.heapspan.TypeRegistry;

/** Takes down which types get the next numbers, before anybody hears of them. */
public interface TypeLog {
    /** Of a server whose types end with it. */
    TypeLog NONE = (registry, types) -> {};

    /**
     * Types are about to get the next numbers. Called for one list after the other.
     *
     * @param registry that has them
     * @param types may be empty: then the registry is about to be known
     * @throws IOException if that could not be taken down
     */
    void add(UUID registry, List<TypeRegistry.Type> types) throws IOException;
}
