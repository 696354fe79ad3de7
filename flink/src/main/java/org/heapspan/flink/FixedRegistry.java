package org.heapspan.flink;

import java.util.UUID;
import org.heapspan.LoaderScopes;
import org.heapspan.LocalTypeRegistry;
import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * A registry that never gives out a number: nobody could tell it to the readers of a record. A record describes all other types itself.
 * Thread-safe.
 */
final class FixedRegistry implements TypeRegistry {
    /** That of all of them: records do not contain it, and it must not change when types are added. */
    static final UUID ID = new UUID(0x4865617073706146L, 0x6C696E6B00000001L);

    private final LocalTypeRegistry types = new LocalTypeRegistry(ID);

    FixedRegistry(byte[][] descriptions) {
        for (byte[] description : descriptions) {
            types.numberOf(LoaderScopes.UNNAMED, description);
        }
    }

    /** How many types have numbers. Fewer than descriptions, if two of these are the same: those of an enum and of a constant with a body are. */
    int count() {
        return types.size();
    }

    @Override
    public UUID id() {
        return ID;
    }

    @Override
    public int numberOf(String loaderScope, byte[] description) {
        return types.knownNumberOf(new Type(loaderScope, description));
    }

    @Override
    public @Nullable Type typeOf(int number) {
        return types.typeOf(number);
    }
}
