package org.heapspan.image.graph;

import org.jspecify.annotations.Nullable;

/**
 * What the declared generic type of a field lets one expect of the elements behind it. Only a hint: erasure lets a
 * {@code List<Image>} hold anything, so the codecs compare before they rely on it. A record, so that the JIT treats the
 * components of a constant hint as constants and inlines the element codec.
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
