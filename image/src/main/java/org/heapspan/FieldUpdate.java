package org.heapspan;

import org.jspecify.annotations.Nullable;

/**
 * Computes the value of a field in a decoded object, in place of the value that was sent (Skyway section 3.3). Implementations must be
 * thread-safe: all threads that decode or copy call them. If one throws a {@link RuntimeException}, the call fails with a {@link HeapspanException}
 * of category HOOK.
 */
@FunctionalInterface
public interface FieldUpdate {
    /**
     * Computes the value.
     *
     * @param owner the decoded object, complete except for its updated fields
     * @param sent the value that was sent; a box for primitive fields
     * @return the value to set, of the field's type
     */
    @Nullable
    Object update(Object owner, @Nullable Object sent);
}
