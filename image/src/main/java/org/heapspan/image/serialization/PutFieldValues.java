package org.heapspan.image.serialization;

import java.io.ObjectOutputStream;
import org.jspecify.annotations.Nullable;

/** Values of persistent fields that a writeObject method sets by name. Not thread-safe. */
final class PutFieldValues extends ObjectOutputStream.PutField implements FieldCodec.Values {
    final HookCodec.LevelHooks hooks;
    private final long[] bits;
    private final @Nullable Object[] references;

    PutFieldValues(HookCodec.LevelHooks hooks) {
        this.hooks = hooks;
        int count = hooks.block.slots.size();
        bits = new long[count];
        references = new Object[count];
    }

    private int slot(String name, Class<?> type) {
        int slot = hooks.slot(name, type);
        if (slot < 0) {
            throw new IllegalArgumentException("no such field " + name + " with type " + type);
        }
        return slot;
    }

    @Override
    public void put(String name, boolean value) {
        bits[slot(name, boolean.class)] = value ? 1 : 0;
    }

    @Override
    public void put(String name, byte value) {
        bits[slot(name, byte.class)] = value;
    }

    @Override
    public void put(String name, char value) {
        bits[slot(name, char.class)] = value;
    }

    @Override
    public void put(String name, short value) {
        bits[slot(name, short.class)] = value;
    }

    @Override
    public void put(String name, int value) {
        bits[slot(name, int.class)] = value;
    }

    @Override
    public void put(String name, long value) {
        bits[slot(name, long.class)] = value;
    }

    @Override
    public void put(String name, float value) {
        bits[slot(name, float.class)] = Float.floatToRawIntBits(value);
    }

    @Override
    public void put(String name, double value) {
        bits[slot(name, double.class)] = Double.doubleToRawLongBits(value);
    }

    @Override
    public void put(String name, @Nullable Object value) {
        references[slot(name, Object.class)] = value;
    }

    @Override
    @Deprecated
    public void write(java.io.ObjectOutput out) {
        throw new UnsupportedOperationException("use ObjectOutputStream.writeFields");
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
}
