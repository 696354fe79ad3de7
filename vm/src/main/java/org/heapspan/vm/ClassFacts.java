package org.heapspan.vm;

import java.util.Objects;

/**
 * What a reader of raw images must know of a class whose instances may be carved.
 *
 * <p>Facts hold while the class is loaded: whoever uses a class word keeps the facts, and with them the class, reachable until the
 * objects are carved. The JVM uses the class word of an unloaded class again. Immutable; the array must not be changed.
 *
 * @param type the class, initialised unless it is a class of arrays
 * @param classWord what the header of each instance holds: the 4-byte narrow class pointer, not negative; the 8-byte pointer where
 *     class pointers are not compressed; with compact headers the class number (mark word >>> 42)
 * @param instanceBytes size of an instance, a multiple of the object alignment; 0 for arrays
 * @param referenceOffsets where reference slots lie, in bytes from the object's beginning, ascending; empty for arrays
 */
public record ClassFacts(Class<?> type, long classWord, int instanceBytes, int[] referenceOffsets) {
    public ClassFacts {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(referenceOffsets, "referenceOffsets");
    }
}
