package org.heapspan.spark.types;

import java.io.Serializable;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An executor asks the driver for types that it does not know yet, and for numbers of types that it was the first to meet. Sent by Java
 * serialization, as an object of another class: reading a record takes the JVM dozens of method handles, which it makes when an application starts.
 *
 * @param registry identity of the registry that is meant
 * @param knownCount the asker knows the types with the numbers below this one
 * @param unknown types that need a number
 */
public record TypesQuestion(
        @Nullable UUID registry, int knownCount, @Nullable List<TypeText> unknown) implements Serializable {
    private Object writeReplace() {
        return new Sent(registry, knownCount, unknown == null ? null : TypeText.packed(unknown));
    }

    private static final class Sent implements Serializable {
        private static final long serialVersionUID = 1L;

        private final @Nullable UUID registry;
        private final int knownCount;
        private final Serializable @Nullable [] unknown;

        Sent(@Nullable UUID registry, int knownCount, Serializable @Nullable [] unknown) {
            this.registry = registry;
            this.knownCount = knownCount;
            this.unknown = unknown;
        }

        private Object readResolve() {
            return new TypesQuestion(registry, knownCount, unknown == null ? null : TypeText.unpacked(unknown));
        }
    }
}
