package org.heapspan.image.raw;

import org.heapspan.image.format.RawBytes;
import org.heapspan.image.graph.StringForm;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/** Reads strings. They must always be valid, because the JVM itself relies on them. Their form differs in a JVM without compact strings. */
final class RawStringClass extends RawClass.Instance {
    private static final RawMemory RAW = Access.raw();

    private final boolean otherForm;
    private final int valueOffset;
    private final int coderOffset;
    private final int hashOffset;
    private final long ownValueOffset;
    private final long ownCoderOffset;
    private final long ownHashOffset;

    RawStringClass(RawLayout layout, RawClassDescription described, @Nullable FieldAccess[] targets) {
        super(layout, String.class, null, described, targets);
        otherForm = layout.compactStrings() != StringForm.COMPACT;
        int value = slot("value", targets);
        int coder = slot("coder", targets);
        int hash = slot("hash", targets);
        valueOffset = described.offsets()[value];
        coderOffset = described.offsets()[coder];
        hashOffset = described.offsets()[hash];
        ownValueOffset = offset(targets[value]);
        ownCoderOffset = offset(targets[coder]);
        ownHashOffset = offset(targets[hash]);
    }

    private static int slot(String name, @Nullable FieldAccess[] targets) {
        for (int i = 0; i < targets.length; i++) {
            FieldAccess target = targets[i];
            if (target != null && target.field.getName().equals(name)) {
                return i;
            }
        }
        throw new IllegalStateException("strings are known to have a field " + name);
    }

    private static long offset(@Nullable FieldAccess target) {
        if (target == null) {
            throw new IllegalStateException("slot() gives fields that are there");
        }
        return RAW.objectFieldOffset(target.field);
    }

    @Override
    Object allocate(RawObjectReader reader, byte[] bytes, int position) {
        return Access.allocate(String.class);
    }

    @Override
    void fill(RawObjectReader reader, Object string, byte[] bytes, int position, long from, long to) {
        RAW.putInt(string, ownHashOffset, RawBytes.getInt(bytes, position + hashOffset));
        byte coder = bytes[position + coderOffset];
        RAW.putByte(string, ownCoderOffset, coder);
        Object value = reader.readReference(bytes, position + valueOffset);
        if (value instanceof byte[] characters && (coder == 0 || coder == 1 && (characters.length & 1) == 0)) {
            RAW.putReference(string, ownValueOffset, value);
        } else {
            throw reader.malformed("a string has no characters, or such that do not fit together");
        }
        if (otherForm) {
            reader.strings().convertLater((String) string);
        }
    }
}
