package org.heapspan;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.heapspan.image.engine.KnownType;
import org.jspecify.annotations.Nullable;

/**
 * A registry whose types are known from the start. {@link TypeRegistry#of} returns one. It gives no number to another type, since an equal registry in
 * another JVM could give that number to a third one. Images describe all other types. Thread-safe.
 */
public final class FixedTypeRegistry implements TypeRegistry {
    private final LocalTypeRegistry types;

    /**
     * Creates a registry.
     *
     * @param id its identity; registries with the same identity must have the same types
     * @param types in the order of their numbers; one that comes again has its first number
     * @throws HeapspanException of category LIMIT if there are too many types
     */
    public FixedTypeRegistry(UUID id, List<Type> types) {
        this.types = new LocalTypeRegistry(id);
        for (Type type : types) {
            this.types.numberOf(type.loaderScope(), type.description());
        }
    }

    /** A registry of given classes. Registries of the same classes are equal. */
    static FixedTypeRegistry of(List<KnownType> known) {
        List<Type> types = known.stream()
                .map(each -> new Type(each.loaderScope(), each.description()))
                .toList();
        return new FixedTypeRegistry(idOf(types), types);
    }

    private static UUID idOf(List<Type> types) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (Type type : types) {
            if (!type.loaderScope().isEmpty()) {
                // A description begins with its length, which is never 0: names cannot be mistaken for descriptions.
                byte[] scope = type.loaderScope().getBytes(StandardCharsets.UTF_8);
                content.writeBytes(new byte[Short.BYTES]);
                content.writeBytes(
                        ByteBuffer.allocate(Integer.BYTES).putInt(scope.length).array());
                content.writeBytes(scope);
            }
            content.writeBytes(type.description());
        }
        return UUID.nameUUIDFromBytes(content.toByteArray());
    }

    /**
     * Returns the number of types. Their numbers are 0 to this number minus 1.
     *
     * @return how many there are
     */
    public int size() {
        return types.size();
    }

    @Override
    public UUID id() {
        return types.id();
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
