package org.heapspan.image.serialization;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.type.SerializationMethods;
import org.jspecify.annotations.Nullable;

/**
 * The fields that one Serializable class declares, where reflection does not reach them: {@code ReflectionFactory} gives out, from
 * JDK 24 on, what {@code defaultWriteObject} and {@code defaultReadObject} do for any Serializable class, as methods that pass all
 * fields at once, final ones too, to and from whatever object stream they are given. The streams here pass them on by slot.
 */
public final class SerializedFields {
    private static final MethodType WRITING = MethodType.methodType(void.class, Object.class, ObjectOutputStream.class);
    private static final MethodType READING = MethodType.methodType(void.class, Object.class, ObjectInputStream.class);

    private final Class<?> type;
    private final MethodHandle defaultWriteObject;
    private final MethodHandle defaultReadObject;
    /** Slots of the block that has the values, by the names of the fields. */
    private final Map<String, Integer> slots;

    private SerializedFields(
            Class<?> type,
            MethodHandle defaultWriteObject,
            MethodHandle defaultReadObject,
            Map<String, Integer> slots) {
        this.type = type;
        this.defaultWriteObject = defaultWriteObject.asType(WRITING);
        this.defaultReadObject = defaultReadObject.asType(READING);
        this.slots = slots;
    }

    /** The means for one class, or null if this JDK has none for it. */
    public static @Nullable SerializedFields of(Class<?> type, Map<String, Integer> slots) {
        MethodHandle defaultWriteObject = SerializationMethods.defaultWriteObject(type);
        MethodHandle defaultReadObject = SerializationMethods.defaultReadObject(type);
        if (defaultWriteObject == null || defaultReadObject == null) {
            return null;
        }
        return new SerializedFields(type, defaultWriteObject, defaultReadObject, new HashMap<>(slots));
    }

    /** Copies the values of an object's fields into those slots that they belong to. */
    public void get(Object object, FieldCodec.Values target) {
        try {
            defaultWriteObject.invokeExact(object, (ObjectOutputStream) new Output(target));
        } catch (Throwable e) {
            throw failure("reading", e);
        }
    }

    /** Sets all fields of an object that have a slot; the others get the value of a field not yet written to. */
    public void set(Object object, FieldCodec.Values source) {
        try {
            defaultReadObject.invokeExact(object, (ObjectInputStream) new Input(source));
        } catch (Throwable e) {
            throw failure("writing", e);
        }
    }

    private RuntimeException failure(String what, Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return new HeapspanException(
                Category.ACCESS, what + " the serializable fields of " + type.getName() + " failed: " + e, e);
    }

    private final class Output extends ObjectOutputStream {
        private final Put put;

        Output(FieldCodec.Values target) throws IOException {
            super();
            put = new Put(target);
        }

        @Override
        public PutField putFields() {
            return put;
        }

        @Override
        public void writeFields() {
            // They have arrived one by one.
        }
    }

    private final class Input extends ObjectInputStream {
        private final Get get;

        Input(FieldCodec.Values source) throws IOException {
            super();
            get = new Get(type, source);
        }

        @Override
        public GetField readFields() {
            return get;
        }
    }

    private final class Put extends ObjectOutputStream.PutField {
        private final FieldCodec.Values target;

        Put(FieldCodec.Values target) {
            this.target = target;
        }

        private void bits(String name, long bits) {
            Integer slot = slots.get(name);
            if (slot != null) {
                target.setBits(slot, bits);
            }
        }

        @Override
        public void put(String name, boolean value) {
            bits(name, value ? 1 : 0);
        }

        @Override
        public void put(String name, byte value) {
            bits(name, value);
        }

        @Override
        public void put(String name, char value) {
            bits(name, value);
        }

        @Override
        public void put(String name, short value) {
            bits(name, value);
        }

        @Override
        public void put(String name, int value) {
            bits(name, value);
        }

        @Override
        public void put(String name, long value) {
            bits(name, value);
        }

        @Override
        public void put(String name, float value) {
            bits(name, Float.floatToRawIntBits(value));
        }

        @Override
        public void put(String name, double value) {
            bits(name, Double.doubleToRawLongBits(value));
        }

        @Override
        public void put(String name, @Nullable Object value) {
            Integer slot = slots.get(name);
            if (slot != null) {
                target.setReference(slot, value);
            }
        }

        @Override
        @Deprecated
        public void write(java.io.ObjectOutput out) {
            throw new UnsupportedOperationException("the fields go nowhere but into their slots");
        }
    }

    private final class Get extends ObjectInputStream.GetField {
        private final Class<?> owner;
        private final FieldCodec.Values source;

        Get(Class<?> owner, FieldCodec.Values source) {
            this.owner = owner;
            this.source = source;
        }

        private long bits(String name, long otherwise) {
            Integer slot = slots.get(name);
            return slot == null ? otherwise : source.bits(slot);
        }

        @Override
        public ObjectStreamClass getObjectStreamClass() {
            return ObjectStreamClass.lookupAny(owner);
        }

        @Override
        public boolean defaulted(String name) {
            return !slots.containsKey(name);
        }

        @Override
        public boolean get(String name, boolean value) {
            return bits(name, value ? 1 : 0) != 0;
        }

        @Override
        public byte get(String name, byte value) {
            return (byte) bits(name, value);
        }

        @Override
        public char get(String name, char value) {
            return (char) bits(name, value);
        }

        @Override
        public short get(String name, short value) {
            return (short) bits(name, value);
        }

        @Override
        public int get(String name, int value) {
            return (int) bits(name, value);
        }

        @Override
        public long get(String name, long value) {
            return bits(name, value);
        }

        @Override
        public float get(String name, float value) {
            return Float.intBitsToFloat((int) bits(name, Float.floatToRawIntBits(value)));
        }

        @Override
        public double get(String name, double value) {
            return Double.longBitsToDouble(bits(name, Double.doubleToRawLongBits(value)));
        }

        @Override
        public @Nullable Object get(String name, @Nullable Object value) {
            Integer slot = slots.get(name);
            return slot == null ? value : source.reference(slot);
        }
    }
}
