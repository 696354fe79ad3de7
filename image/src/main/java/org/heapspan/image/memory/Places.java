package org.heapspan.image.memory;

import org.heapspan.vm.HotSpotFacts;

/**
 * Units of 16 bytes of the heap, as the bits of a slot with a compressed reference give them, and hashes of them. No two objects begin in the
 * same place, but for objects without fields where headers are compact.
 */
public final class Places {
    private static final int PLACE_BYTES_SHIFT = 4;

    /** By how much the bits of a slot are shifted to give a place. */
    public static final int SHIFT = shift();

    /** By how much a place is shifted to give its block. */
    public static final int BLOCK_SHIFT = 5;

    /** Of a place, what says where it lies within its block. */
    public static final int BLOCK_MASK = (1 << BLOCK_SHIFT) - 1;

    /** Blocks times this are spread evenly over the higher bits, most of all neighbours. */
    public static final int HASH_FACTOR = 0x9E3779B9;

    private Places() {}

    private static int shift() {
        HotSpotFacts facts = Access.MACHINE.hotSpotFacts();
        return facts == null ? 0 : Math.max(0, PLACE_BYTES_SHIFT - facts.referenceShift());
    }
}
