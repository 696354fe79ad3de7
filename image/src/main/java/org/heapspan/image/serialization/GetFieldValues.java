package org.heapspan.image.serialization;

import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import org.jspecify.annotations.Nullable;

/** Values of persistent fields that a readObject method asks for by name. Not thread-safe. */
final class GetFieldValues extends ObjectInputStream.GetField implements FieldCodec.Values {
    /** For a field that only the local class has. */
    private static final int NOTHING = -1;

    private final HookCodec.LevelHooks hooks;
    private final long[] bits;
    private final @Nullable Object[] references;
    private boolean present;

    GetFieldValues(HookCodec.LevelHooks hooks) {
        this.hooks = hooks;
        int count = hooks.block.slots.size();
        bits = new long[count];
        references = new Object[count];
    }

    /**
     * Where the value of a field is, or {@link #NOTHING} if only the local class has the field.
     *
     * @param type its type, Object for any reference, null for any type
     */
    private int slot(String name, @Nullable Class<?> type) {
        int slot = hooks.slot(name, type);
        if (slot >= 0) {
            return present ? slot : NOTHING;
        }
        ObjectStreamField local = getObjectStreamClass().getField(name);
        if (local != null
                && (type == null || type == local.getType() || type == Object.class && !local.isPrimitive())) {
            return NOTHING;
        }
        throw new IllegalArgumentException("no such field " + name + " with type " + type);
    }

    @Override
    public ObjectStreamClass getObjectStreamClass() {
        return ObjectStreamClass.lookupAny(hooks.type == null ? Object.class : hooks.type);
    }

    @Override
    public boolean defaulted(String name) {
        return slot(name, null) == NOTHING;
    }

    @Override
    public boolean get(String name, boolean value) {
        int slot = slot(name, boolean.class);
        return slot == NOTHING ? value : bits[slot] != 0;
    }

    @Override
    public byte get(String name, byte value) {
        int slot = slot(name, byte.class);
        return slot == NOTHING ? value : (byte) bits[slot];
    }

    @Override
    public char get(String name, char value) {
        int slot = slot(name, char.class);
        return slot == NOTHING ? value : (char) bits[slot];
    }

    @Override
    public short get(String name, short value) {
        int slot = slot(name, short.class);
        return slot == NOTHING ? value : (short) bits[slot];
    }

    @Override
    public int get(String name, int value) {
        int slot = slot(name, int.class);
        return slot == NOTHING ? value : (int) bits[slot];
    }

    @Override
    public long get(String name, long value) {
        int slot = slot(name, long.class);
        return slot == NOTHING ? value : bits[slot];
    }

    @Override
    public float get(String name, float value) {
        int slot = slot(name, float.class);
        return slot == NOTHING ? value : Float.intBitsToFloat((int) bits[slot]);
    }

    @Override
    public double get(String name, double value) {
        int slot = slot(name, double.class);
        return slot == NOTHING ? value : Double.longBitsToDouble(bits[slot]);
    }

    @Override
    public @Nullable Object get(String name, @Nullable Object value) {
        int slot = slot(name, Object.class);
        return slot == NOTHING ? value : references[slot];
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
        present = true;
        bits[slot] = value;
    }

    @Override
    public void setReference(int slot, @Nullable Object value) {
        present = true;
        references[slot] = value;
    }
}
