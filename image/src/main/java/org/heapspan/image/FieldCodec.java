package org.heapspan.image;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads objects field by field, one field after the other, in the form of {@link FieldBlock}. It serves where no code
 * is generated: without raw memory, and for images whose description of a class differs from the reader's class, when a field
 * without counterpart is read and dropped and one that the image lacks keeps its default.
 */
final class FieldCodec extends Codec {
    private final FieldBlock block;
    private final FieldTargets targets;

    private final Allocator allocator;
    private final @Nullable Constructor<?> canonicalConstructor;
    private final int[] canonicalIndexes;

    /** Stands for a record whose components are being read. */
    private final MissingClassCodec.Placeholder unmade;

    FieldCodec(Class<?> type, TypeDescription description, @Nullable FieldAccess[] targets, int traits) {
        super(type, description, 0, recordWithoutRaw(type) ? traits & ~DEFERRABLE : traits);
        this.block = new FieldBlock(description.levels());
        this.targets = new FieldTargets(targets);
        this.unmade = new MissingClassCodec.Placeholder(new HeapspanException(
                Category.ACCESS,
                "a record " + type.getName() + " is part of a cycle: under " + Access.MACHINE.means()
                        + " a record exists only once its components are complete; let the native library load"
                        + " (see heapspan doctor), break the cycle or use a class"));
        if (recordWithoutRaw(type)) {
            // Final fields of records cannot be set by reflection.
            canonicalConstructor = canonicalConstructor(type);
            canonicalIndexes = canonicalIndexes(type, targets);
            allocator = unused -> {
                throw new IllegalStateException("records are made by their constructor");
            };
        } else {
            canonicalConstructor = null;
            canonicalIndexes = new int[0];
            allocator = Allocator.withoutConstructor(type);
        }
    }

    private static boolean recordWithoutRaw(Class<?> type) {
        return type.isRecord() && Access.RAW == null;
    }

    private static Constructor<?> canonicalConstructor(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] parameters = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            parameters[i] = components[i].getType();
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(parameters);
            constructor.setAccessible(true);
            return constructor;
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new HeapspanException(
                    Category.ACCESS, "the canonical constructor of record " + type.getName() + " is out of reach", e);
        }
    }

    private static int[] canonicalIndexes(Class<?> type, @Nullable FieldAccess[] targets) {
        RecordComponent[] components = type.getRecordComponents();
        int[] indexes = new int[targets.length];
        for (int slot = 0; slot < targets.length; slot++) {
            FieldAccess target = targets[slot];
            indexes[slot] = -1;
            for (int i = 0; target != null && i < components.length; i++) {
                if (components[i].getName().equals(target.field.getName())) {
                    indexes[slot] = i;
                }
            }
        }
        return indexes;
    }

    @Override
    void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writeFields(writer, block, targets.of(object));
    }

    @Override
    Object allocate(ImageReader reader) {
        return allocator.allocate(type);
    }

    @Override
    void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        Values values = targets.into(object);
        readFields(reader, block, values);
        FieldTargets.settle(values);
    }

    @Override
    @Nullable
    Object read(ImageReader reader, @Nullable TypeHint hint) {
        Constructor<?> constructor = canonicalConstructor;
        if (constructor == null) {
            return super.read(reader, hint);
        }
        int index = reader.reserveIndex();
        reader.setObject(index, unmade);
        Class<?>[] parameterTypes = constructor.getParameterTypes();
        @Nullable Object[] arguments = new Object[parameterTypes.length];
        for (int i = 0; i < arguments.length; i++) {
            if (parameterTypes[i].isPrimitive()) {
                arguments[i] =
                        FieldAccess.boxed(parameterTypes[i].descriptorString().charAt(0), 0);
            }
        }
        List<FieldBlock.Slot> slots = block.slots;
        readFields(reader, block, new Values() {
            @Override
            public long bits(int slot) {
                throw new UnsupportedOperationException();
            }

            @Override
            public @Nullable Object reference(int slot) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void setBits(int slot, long bits) {
                if (canonicalIndexes[slot] >= 0) {
                    arguments[canonicalIndexes[slot]] =
                            FieldAccess.boxed(slots.get(slot).code(), bits);
                }
            }

            @Override
            public void setReference(int slot, @Nullable Object value) {
                if (canonicalIndexes[slot] >= 0) {
                    arguments[canonicalIndexes[slot]] = value;
                }
            }
        });
        try {
            Object made = constructor.newInstance(arguments);
            reader.setObject(index, made);
            return made;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new HeapspanException(
                    Category.HOOK, "the canonical constructor of record " + type.getName() + " failed: " + e, e);
        }
    }

    /** Where the values of a block come from or go to, by slot. */
    interface Values {
        long bits(int slot);

        @Nullable
        Object reference(int slot);

        void setBits(int slot, long bits);

        void setReference(int slot, @Nullable Object value);

        /** Whether the value of a slot will not be kept. */
        default boolean drops(int slot) {
            return false;
        }
    }

    /** Values that nobody wants. */
    record Dropped() implements Values {
        @Override
        public long bits(int slot) {
            return 0;
        }

        @Override
        public @Nullable Object reference(int slot) {
            return null;
        }

        @Override
        public void setBits(int slot, long bits) {}

        @Override
        public void setReference(int slot, @Nullable Object value) {}

        @Override
        public boolean drops(int slot) {
            return true;
        }
    }

    /** The fields of an object. */
    record OfObject(@Nullable FieldAccess[] targets, Object object) implements Values {
        @Override
        public long bits(int slot) {
            FieldAccess target = targets[slot];
            return target == null ? 0 : target.getBits(object);
        }

        @Override
        public @Nullable Object reference(int slot) {
            FieldAccess target = targets[slot];
            return target == null ? null : target.getReference(object);
        }

        @Override
        public void setBits(int slot, long bits) {
            FieldAccess target = targets[slot];
            if (target != null) {
                target.setBits(object, bits);
            }
        }

        @Override
        public void setReference(int slot, @Nullable Object value) {
            FieldAccess target = targets[slot];
            if (target != null) {
                target.setReference(object, value);
            }
        }

        @Override
        public boolean drops(int slot) {
            return targets[slot] == null;
        }
    }

    /** Writes fields in the form of the block; the generated codecs write the same bytes. */
    static void writeFields(ImageWriter writer, FieldBlock block, Values values) {
        List<FieldBlock.Slot> slots = block.slots;
        int first = writer.reserve(block.limitBytes() + FieldBlock.SLACK_BYTES);
        byte[] buffer = writer.buffer;
        int control = first;
        int p = first + block.controlBytes();
        java.util.Arrays.fill(buffer, first, p, (byte) 0);
        int bit = 0;
        int slot = 0;
        for (; slot < slots.size(); slot++) {
            char code = slots.get(slot).code();
            if (code == TypeDescription.Field.REFERENCE || code == TypeDescription.Field.STRING) {
                break;
            }
            long value = values.bits(slot);
            switch (code) {
                case 'Z' -> {
                    buffer[control + (bit >> 3)] |= (byte) (value << (bit & 7));
                    bit++;
                }
                case 'B' -> buffer[p++] = (byte) value;
                case 'S', 'C' -> {
                    ImageFormat.SHORT.set(buffer, p, (short) value);
                    p += 2;
                }
                case 'F' -> {
                    ImageFormat.INT.set(buffer, p, (int) value);
                    p += 4;
                }
                case 'D' -> {
                    ImageFormat.LONG.set(buffer, p, value);
                    p += 8;
                }
                case 'I' -> {
                    bit += bit & 1;
                    int sizeCode = FieldBlock.intCode((int) value);
                    buffer[control + (bit >> 3)] |= (byte) (sizeCode << (bit & 7));
                    bit += 2;
                    ImageFormat.INT.set(buffer, p, (int) value);
                    p += sizeCode + 1;
                }
                default -> {
                    bit += bit & 1;
                    int sizeCode = FieldBlock.longCode(value);
                    buffer[control + (bit >> 3)] |= (byte) (sizeCode << (bit & 7));
                    bit += 2;
                    ImageFormat.LONG.set(buffer, p, value);
                    p += 1 << sizeCode;
                }
            }
        }
        writer.position = p;
        for (; slot < slots.size(); slot++) {
            Object value = values.reference(slot);
            if (slots.get(slot).code() == TypeDescription.Field.STRING) {
                writer.writeString((String) value);
            } else {
                writer.writeReference(value);
            }
        }
    }

    static void readFields(ImageReader reader, FieldBlock block, Values values) {
        List<FieldBlock.Slot> slots = block.slots;
        int p = 0;
        int control = 0;
        byte[] buffer = reader.buffer;
        if (block.limitBytes() > 0) {
            control = reader.block(block.limitBytes() + FieldBlock.SLACK_BYTES);
            buffer = reader.buffer;
            p = control + block.controlBytes();
        }
        int bit = 0;
        int slot = 0;
        for (; slot < slots.size(); slot++) {
            char code = slots.get(slot).code();
            if (code == TypeDescription.Field.REFERENCE || code == TypeDescription.Field.STRING) {
                break;
            }
            switch (code) {
                case 'Z' -> {
                    values.setBits(slot, buffer[control + (bit >> 3)] >> (bit & 7) & 1);
                    bit++;
                }
                case 'B' -> values.setBits(slot, buffer[p++]);
                case 'S', 'C' -> {
                    values.setBits(slot, (short) ImageFormat.SHORT.get(buffer, p));
                    p += 2;
                }
                case 'F' -> {
                    values.setBits(slot, (int) ImageFormat.INT.get(buffer, p));
                    p += 4;
                }
                case 'D' -> {
                    values.setBits(slot, (long) ImageFormat.LONG.get(buffer, p));
                    p += 8;
                }
                case 'I' -> {
                    bit += bit & 1;
                    int sizeCode = buffer[control + (bit >> 3)] >> (bit & 7) & 3;
                    bit += 2;
                    values.setBits(slot, FieldBlock.intOf((int) ImageFormat.INT.get(buffer, p), sizeCode));
                    p += sizeCode + 1;
                }
                default -> {
                    bit += bit & 1;
                    int sizeCode = buffer[control + (bit >> 3)] >> (bit & 7) & 3;
                    bit += 2;
                    values.setBits(slot, FieldBlock.longOf((long) ImageFormat.LONG.get(buffer, p), sizeCode));
                    p += 1 << sizeCode;
                }
            }
        }
        if (block.limitBytes() > 0) {
            reader.advance(p);
        }
        for (; slot < slots.size(); slot++) {
            if (slots.get(slot).code() == TypeDescription.Field.STRING) {
                values.setReference(slot, reader.readString());
            } else {
                boolean drops = values.drops(slot);
                reader.beginDropping(drops);
                Object value = reader.readReference(null);
                reader.endDropping(drops);
                if (!drops) {
                    values.setReference(slot, value);
                }
            }
        }
    }
}
