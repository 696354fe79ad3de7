package org.heapspan.image.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.heapspan.LoaderScopes;
import org.heapspan.Mode;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.policy.PolicyCodecRegistry;

/**
 * A class that is known before there is an object of it.
 *
 * @param loaderScope name of the scope of its loader; empty for the unnamed scope
 * @param description the class as images describe it
 */
public record KnownType(String loaderScope, byte[] description) {
    /**
     * The descriptions of classes; those that the format itself knows have none.
     *
     * @param mode mode of who uses them
     * @param scopes names of loaders
     * @param classes classes of objects that travel
     * @return what images say of the classes, in their order
     * @throws org.heapspan.HeapspanException if a class is refused
     */
    public static List<KnownType> of(Mode mode, LoaderScopes scopes, Class<?>... classes) {
        CodecRegistry codecs = PolicyCodecRegistry.of(mode, Map.of());
        List<KnownType> known = new ArrayList<>();
        for (Class<?> each : classes) {
            Codec codec = codecs.codecOf(each);
            if (codec.builtInTag == 0) {
                known.add(new KnownType(scopes.scopeOf(codec.type.getClassLoader()), codec.descriptionBytes()));
            }
        }
        return known;
    }
}
