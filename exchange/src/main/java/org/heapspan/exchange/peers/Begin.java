package org.heapspan.exchange.peers;

import java.util.List;
import java.util.UUID;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.KeyRecord;
import org.jspecify.annotations.Nullable;

/**
 * What a leader begins with: what all servers have in common then.
 *
 * @param keys and what they lead to
 * @param groups those of keys, and others
 * @param registry the id of the registry of types, or null if nobody has asked for it yet
 * @param types in the order of their numbers
 */
public record Begin(
        List<KeyRecord> keys,
        List<GroupRecord> groups,
        @Nullable UUID registry,
        List<TypeRegistry.Type> types) {
    /** Takes copies. */
    public Begin {
        keys = List.copyOf(keys);
        groups = List.copyOf(groups);
        types = List.copyOf(types);
    }
}
