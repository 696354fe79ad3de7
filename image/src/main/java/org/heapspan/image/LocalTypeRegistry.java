package org.heapspan.image;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.heapspan.Mode;
import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/** A registry whose numbers live in this JVM. */
public final class LocalTypeRegistry implements TypeRegistry {
    private final UUID id;
    private final Map<ByteBuffer, Integer> numbers = new HashMap<>();
    private final List<byte[]> descriptions = new ArrayList<>();

    /**
     * Creates an empty registry.
     *
     * @param id its identity
     */
    public LocalTypeRegistry(UUID id) {
        this.id = id;
    }

    /** Creates a registry of known classes; see {@link TypeRegistry#of}. */
    public static LocalTypeRegistry of(Mode mode, Class<?>... classes) {
        CodecRegistry codecs = CodecRegistry.of(mode, Map.of());
        List<byte[]> all = new ArrayList<>();
        for (Class<?> type : classes) {
            Codec codec = codecs.codecOf(type);
            if (codec.builtInTag == 0) {
                all.add(codec.descriptionBytes());
            }
        }
        int total = all.stream().mapToInt(bytes -> bytes.length).sum();
        ByteBuffer content = ByteBuffer.allocate(total);
        all.forEach(content::put);
        LocalTypeRegistry registry = new LocalTypeRegistry(UUID.nameUUIDFromBytes(content.array()));
        all.forEach(registry::numberOf);
        return registry;
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public synchronized int numberOf(byte[] description) {
        Integer known = numbers.get(ByteBuffer.wrap(description));
        if (known != null) {
            return known;
        }
        byte[] own = description.clone();
        int number = descriptions.size();
        descriptions.add(own);
        numbers.put(ByteBuffer.wrap(own), number);
        return number;
    }

    @Override
    public synchronized byte @Nullable [] descriptionOf(int number) {
        return number >= 0 && number < descriptions.size() ? descriptions.get(number) : null;
    }
}
