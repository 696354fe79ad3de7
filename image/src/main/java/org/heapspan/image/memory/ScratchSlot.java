package org.heapspan.image.memory;

import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * A slot of its own to put references into: for their bits, which tell objects apart as long as no collection pause comes in between
 * ({@code docs/decisions/0001}), and to hide from the JIT what it knows of them. Where there is no raw memory it is of no use. Not
 * thread-safe.
 */
public final class ScratchSlot {
    private static final @Nullable RawMemory RAW = Access.RAW;

    /** Not final, as with {@code CodecGenerator}'s offset of slots: the JIT must not know that a reference is there. */
    private static long slotOffset = Access.offsetOf(Slot.class, "reference", Object.class);

    private Slot slot = new Slot();

    private static final class Slot {
        @Nullable
        Object reference;
    }

    /** The bits of a slot that holds the object; 0 without raw memory. */
    public int bitsOf(@Nullable Object object) {
        RawMemory raw = RAW;
        Slot scratch = slot;
        scratch.reference = object;
        return raw == null ? 0 : raw.getInt(scratch, slotOffset);
    }

    /** The same array for raw reads of its slots, which the JIT compiles only where it does not know that references are there. */
    public Object opaque(Object[] array) {
        RawMemory raw = RAW;
        if (raw == null) {
            return array;
        }
        Slot scratch = slot;
        raw.putReference(scratch, slotOffset, array);
        Object opaque = scratch.reference;
        return opaque == null ? array : opaque;
    }

    /** Called after a collection: fresh objects are young, and stores into young objects cost the collector's barriers least. */
    public void renew() {
        slot = new Slot();
    }

    /** Lets go of the latest reference. */
    public void clear() {
        slot.reference = null;
    }
}
