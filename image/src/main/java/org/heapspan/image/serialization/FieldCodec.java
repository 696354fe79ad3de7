package org.heapspan.image.serialization;

import java.util.List;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.Allocator;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads objects field by field, one field after the other, in the form of {@link FieldBlock}. It serves where no code
 * is generated: without raw memory, and for images whose description of a class differs from the reader's class, when a field
 * without counterpart is read and dropped and one that the image lacks keeps its default.
 */
public final class FieldCodec extends Codec {
    private final FieldBlock block;
    private final FieldTargets targets;

    private final Allocator allocator;
    /** Set where records cannot be filled after they have been made. */
    private final @Nullable RecordMaker recordMaker;

    public FieldCodec(Class<?> type, TypeDescription description, @Nullable FieldAccess[] targets, int traits) {
        super(type, description, 0, RecordMaker.handles(type) ? traits & ~DEFERRABLE : traits);
        this.block = new FieldBlock(description.levels());
        this.targets = new FieldTargets(targets);
        if (RecordMaker.handles(type)) {
            recordMaker = new RecordMaker(type, block, targets);
            allocator = unused -> {
                throw new IllegalStateException("records are made by their constructor");
            };
        } else {
            recordMaker = null;
            allocator = Allocator.withoutConstructor(type);
        }
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writeFields(writer, block, targets.of(object));
    }

    @Override
    public Object allocate(ImageReader reader) {
        return allocator.allocate(type);
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        Values values = targets.into(object);
        readFields(reader, block, values);
        FieldTargets.settle(values);
    }

    @Override
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        RecordMaker maker = recordMaker;
        if (maker == null) {
            return super.read(reader, hint);
        }
        int index = reader.reserveIndex();
        reader.setObject(index, maker.unmade());
        Object made = maker.read(reader);
        reader.setObject(index, made);
        return made;
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
