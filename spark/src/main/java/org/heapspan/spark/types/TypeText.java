package org.heapspan.spark.types;

import java.io.Serializable;
import org.heapspan.TypeRegistry;

/**
 * A type of the cluster's registry in a message.
 *
 * @param loaderScope name of the scope of its loader
 * @param description name and layout, as images describe it
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record TypeText(String loaderScope, byte[] description) implements Serializable {

    static TypeText of(TypeRegistry.Type type) {
        return new TypeText(type.loaderScope(), type.description());
    }

    TypeRegistry.Type type() {
        return new TypeRegistry.Type(loaderScope, description);
    }
}
