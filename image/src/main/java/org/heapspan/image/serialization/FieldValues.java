package org.heapspan.image.serialization;

import java.util.Arrays;
import java.util.List;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Values of the fields of a block, apart from any object. */
public final class FieldValues implements FieldCodec.Values {
    private final List<FieldBlock.Slot> slots;
    private final long[] bits;
    private final @Nullable Object[] references;

    public FieldValues(FieldBlock block) {
        slots = block.slots;
        bits = new long[slots.size()];
        references = new Object[slots.size()];
    }

    /** Values that are not to be copied elsewhere by their slots. */
    public FieldValues(int slotCount) {
        slots = List.of();
        bits = new long[slotCount];
        references = new Object[slotCount];
    }

    /** The values that belong to one level, in the order of that level's own block. */
    FieldValues of(FieldBlock levelBlock, TypeDescription.Level level) {
        FieldValues values = new FieldValues(levelBlock);
        for (int i = 0; i < levelBlock.slots.size(); i++) {
            int j = slotOf(level, levelBlock.slots.get(i).field());
            if (j >= 0) {
                values.bits[i] = bits[j];
                values.references[i] = references[j];
            }
        }
        return values;
    }

    /** Takes over the values of one level from the order of that level's own block. */
    void take(FieldBlock levelBlock, TypeDescription.Level level, FieldValues values) {
        for (int i = 0; i < levelBlock.slots.size(); i++) {
            int j = slotOf(level, levelBlock.slots.get(i).field());
            if (j >= 0) {
                bits[j] = values.bits[i];
                references[j] = values.references[i];
            }
        }
    }

    private int slotOf(TypeDescription.Level level, TypeDescription.Field field) {
        for (int i = 0; i < slots.size(); i++) {
            FieldBlock.Slot slot = slots.get(i);
            if (slot.level().className().equals(level.className())
                    && slot.field().equals(field)) {
                return i;
            }
        }
        return -1;
    }

    /** Sets the same slots of another place. */
    void copyTo(FieldCodec.Values target) {
        for (int i = 0; i < slots.size(); i++) {
            char code = slots.get(i).code();
            if (code == TypeDescription.Field.REFERENCE || code == TypeDescription.Field.STRING) {
                target.setReference(i, references[i]);
            } else {
                target.setBits(i, bits[i]);
            }
        }
    }

    @Override
    public long bits(int slot) {
        return bits[slot];
    }

    @Override
    public @Nullable Object reference(int slot) {
        return references[slot];
    }

    @Override
    public void setBits(int slot, long value) {
        bits[slot] = value;
    }

    @Override
    public void setReference(int slot, @Nullable Object value) {
        references[slot] = value;
    }

    @Override
    public String toString() {
        return Arrays.toString(bits) + Arrays.toString(references);
    }
}
