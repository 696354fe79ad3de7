package org.heapspan;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * A registry in the memory of this JVM. {@link TypeRegistry#local()} returns one. Registries of several JVMs use one as their local copy.
 * Thread-safe.
 */
public final class LocalTypeRegistry implements TypeRegistry {
    private final UUID id;
    private final Map<Key, Integer> numbers = new HashMap<>();
    private final List<Type> types = new ArrayList<>();

    /** A type by its contents. */
    private record Key(String loaderScope, ByteBuffer description) {
        Key(Type type) {
            this(type.loaderScope(), ByteBuffer.wrap(type.description()));
        }
    }

    /**
     * Creates an empty registry.
     *
     * @param id its identity
     */
    public LocalTypeRegistry(UUID id) {
        this.id = id;
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public synchronized int numberOf(String loaderScope, byte[] description) {
        Integer known = numbers.get(new Key(loaderScope, ByteBuffer.wrap(description)));
        if (known != null) {
            return known;
        }
        int number = types.size();
        if (number == MOST_TYPES) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "type registry " + id + " has " + number + " types, which is the limit; use a new registry");
        }
        Type own = new Type(loaderScope, description.clone());
        types.add(own);
        numbers.put(new Key(own), number);
        return number;
    }

    /**
     * Finds the number of a type, and does not assign one.
     *
     * @param type any type
     * @return its number, or {@link #NO_NUMBER}
     */
    public synchronized int knownNumberOf(Type type) {
        return numbers.getOrDefault(new Key(type), NO_NUMBER);
    }

    /**
     * Returns the number of types. Their numbers are 0 to this number minus 1.
     *
     * @return how many there are
     */
    public synchronized int size() {
        return types.size();
    }

    /**
     * Lists types in the order of their numbers.
     *
     * @param first the first number to list
     * @return the types from that one on; empty if there are none
     */
    public synchronized List<Type> typesFrom(int first) {
        return List.copyOf(types.subList(Math.min(first, types.size()), types.size()));
    }

    @Override
    public synchronized @Nullable Type typeOf(int number) {
        return number >= 0 && number < types.size() ? types.get(number) : null;
    }
}
