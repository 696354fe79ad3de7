package org.heapspan.image;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.heapspan.LoaderScopes;
import org.heapspan.LocalTypeRegistry;
import org.heapspan.Mode;
import org.heapspan.TypeRegistry;

/** Registries of classes that are known beforehand, equal wherever they are made of the same ones. */
public final class KnownTypes {
    private KnownTypes() {}

    /**
     * Creates a registry; see {@link TypeRegistry#of(Mode, LoaderScopes, Class...)}.
     *
     * @param mode mode of who uses it
     * @param scopes names of loaders
     * @param classes classes of objects that travel
     * @return a registry that holds exactly these
     */
    public static TypeRegistry registry(Mode mode, LoaderScopes scopes, Class<?>... classes) {
        CodecRegistry codecs = CodecRegistry.of(mode, Map.of());
        List<TypeRegistry.Type> known = new ArrayList<>();
        for (Class<?> each : classes) {
            Codec codec = codecs.codecOf(each);
            if (codec.builtInTag == 0) {
                known.add(RegisteredTypes.typeOf(codec, scopes));
            }
        }
        LocalTypeRegistry registry = new LocalTypeRegistry(idOf(known));
        for (TypeRegistry.Type type : known) {
            registry.numberOf(type.loaderScope(), type.description());
        }
        return registry;
    }

    private static UUID idOf(List<TypeRegistry.Type> types) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (TypeRegistry.Type type : types) {
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
}
