package org.heapspan.image.graph;

import org.jspecify.annotations.Nullable;

/**
 * The expected class of elements, from the declared generic type of a field. It is only a hint: because of erasure a {@code List<Image>}
 * can contain any object. Codecs check the class before they use the hint. It is a record, so that the JIT treats the components of a
 * constant hint as constants, and inlines the element codec.
 *
 * @param known codec of the expected class, or {@code null} if the class says nothing (interfaces, open classes)
 * @param first hint for the first type argument: elements, keys
 * @param second hint for the second type argument: values
 */
public record TypeHint(
        @Nullable KnownCodec known,
        @Nullable TypeHint first,
        @Nullable TypeHint second) {
    /** Codec of the expected class, if there is one. */
    @Nullable
    public Codec codec() {
        return known == null ? null : known.codec();
    }
}
