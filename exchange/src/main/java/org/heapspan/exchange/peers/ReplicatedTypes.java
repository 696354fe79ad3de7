package org.heapspan.exchange.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.TypeDescriptions;
import org.jspecify.annotations.Nullable;

/** The types to which several servers have given numbers. Not thread-safe. */
final class ReplicatedTypes {
    private final List<TypeRegistry.Type> types = new ArrayList<>();
    private @Nullable UUID registry;

    void apply(Change.TypesAdded added) {
        registry = added.registry();
        types.addAll(added.types());
    }

    /** The id of the registry, or null if nobody has asked for it yet. */
    @Nullable
    UUID registry() {
        return registry;
    }

    /** All types, in the order of their numbers. */
    List<TypeRegistry.Type> types() {
        return List.copyOf(types);
    }

    /** Changes that lead to the same types. */
    List<Change> changes() {
        return registry == null ? List.of() : changes(registry, List.copyOf(types));
    }

    /** Changes that add types, none of which is longer than an entry of the log may be. */
    static List<Change> changes(UUID registry, List<TypeRegistry.Type> added) {
        List<Change> changes = new ArrayList<>();
        List<TypeRegistry.Type> rest = added;
        do {
            int count = TypeDescriptions.fittingEntry(rest);
            changes.add(new Change.TypesAdded(registry, rest.subList(0, count)));
            rest = rest.subList(count, rest.size());
        } while (!rest.isEmpty());
        return changes;
    }

    void clear() {
        registry = null;
        types.clear();
    }
}
