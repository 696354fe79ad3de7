package org.heapspan.spark.types;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.TypeRegistry;

/**
 * A type of the cluster's registry in a message.
 *
 * @param loaderScope name of the scope of its loader
 * @param description name and layout, as images describe it
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record TypeText(String loaderScope, byte[] description) {

    static TypeText of(TypeRegistry.Type type) {
        return new TypeText(type.loaderScope(), type.description());
    }

    /** For a message: of each type the scope, and behind it the description. */
    static Serializable[] packed(List<TypeText> types) {
        Serializable[] packed = new Serializable[2 * types.size()];
        for (int i = 0; i < types.size(); i++) {
            packed[2 * i] = types.get(i).loaderScope;
            packed[2 * i + 1] = types.get(i).description;
        }
        return packed;
    }

    static List<TypeText> unpacked(Serializable[] packed) {
        List<TypeText> types = new ArrayList<>(packed.length / 2);
        for (int i = 0; i + 1 < packed.length; i += 2) {
            types.add(new TypeText((String) packed[i], (byte[]) packed[i + 1]));
        }
        return types;
    }

    TypeRegistry.Type type() {
        return new TypeRegistry.Type(loaderScope, description);
    }
}
