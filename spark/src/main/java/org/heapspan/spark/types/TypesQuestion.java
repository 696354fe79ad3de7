package org.heapspan.spark.types;

import java.io.Serializable;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An executor asks the driver for types that it does not know yet, and for numbers of types that it was the first to meet. Sent by Java
 * serialization: a record, so that versions with more or fewer components understand one another; components may be null therefore.
 *
 * @param registry identity of the registry that is meant
 * @param knownCount the asker knows the types with the numbers below this one
 * @param unknown types that need a number
 */
public record TypesQuestion(
        @Nullable UUID registry, int knownCount, @Nullable List<TypeText> unknown) implements Serializable {}
