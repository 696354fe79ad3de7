package org.heapspan.spark.types;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The driver's answer to a {@link TypesQuestion}: all types that the asker does not know, those among them that it asked for.
 *
 * @param firstNumber number of the first of the types
 * @param types in the order of their numbers
 * @param full whether no further type gets a number
 */
record TypesAnswer(int firstNumber, @Nullable List<TypeText> types, boolean full) implements Serializable {
    /** As with {@link TypesQuestion}. */
    private Object writeReplace() {
        return new Sent(firstNumber, types == null ? null : TypeText.packed(types), full);
    }

    private static final class Sent implements Serializable {
        private static final long serialVersionUID = 1L;

        private final int firstNumber;
        private final Serializable @Nullable [] types;
        private final boolean full;

        Sent(int firstNumber, Serializable @Nullable [] types, boolean full) {
            this.firstNumber = firstNumber;
            this.types = types;
            this.full = full;
        }

        private Object readResolve() {
            return new TypesAnswer(firstNumber, types == null ? null : TypeText.unpacked(types), full);
        }
    }
}
