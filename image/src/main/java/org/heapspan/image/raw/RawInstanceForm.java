package org.heapspan.image.raw;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Copies instances of a class field by field. Gaps between fields, and fields that are not written, are zero. {@link RawCodecGenerator}
 * generates subclasses without loops. This class is used for classes with too many fields.
 */
class RawInstanceForm extends RawForm {
    final RawLayout layout;
    final long classWord;
    final int instanceBytes;
    private final byte[] classBytes;
    private final FieldAccess[] fields;
    private final int[] offsets;
    private final boolean leaf;

    /**
     * Creates the form.
     *
     * @param fields those that travel, in the order of the description's {@link FieldBlock}
     */
    RawInstanceForm(
            RawLayout layout, Class<?> type, TypeDescription description, FieldAccess[] fields, boolean tracked) {
        this(kindOf(type, tracked), layout, type, description, fields);
    }

    RawInstanceForm(Kind kind, RawLayout layout, Class<?> type, TypeDescription description, FieldAccess[] fields) {
        super(kind, type, instanceBytes(layout, type));
        this.layout = layout;
        RawMemory raw = Access.raw();
        classWord = RawLayout.classWord(Access.allocate(type));
        instanceBytes = fixedBytes;
        int[] described = offsets(raw, fields);
        classBytes = new RawClassDescription(
                        classWord, description, instanceBytes, described, RawRelations.fingerprint(type, fields))
                .encode();
        // Patches must come in the order of their slots.
        this.fields = byOffset(fields).toArray(FieldAccess[]::new);
        offsets = offsets(raw, this.fields);
        selfContained = Arrays.stream(fields)
                .map(field -> field.field.getType())
                .allMatch(declared -> declared.isPrimitive() || RawForms.isValue(declared));
        leaf = Arrays.stream(fields).allMatch(field -> field.field.getType().isPrimitive());
    }

    private static Kind kindOf(Class<?> type, boolean tracked) {
        if (type == String.class) {
            return Kind.STRING;
        }
        if (type == ArrayList.class) {
            return Kind.LIST;
        }
        return RawMapForm.handles(type) ? Kind.MAP : tracked ? Kind.OBJECT : Kind.VALUE;
    }

    /** Fields in the order in which they lie in the object. */
    static List<FieldAccess> byOffset(FieldAccess[] fields) {
        return Arrays.stream(fields)
                .sorted(Comparator.comparingLong(field -> Access.raw().objectFieldOffset(field.field)))
                .toList();
    }

    private static int[] offsets(RawMemory raw, FieldAccess[] fields) {
        return Arrays.stream(fields)
                .mapToInt(field -> (int) raw.objectFieldOffset(field.field))
                .toArray();
    }

    /** The size follows from the last field ({@code classfile/fieldLayoutBuilder.cpp}, JDK 15 and later). */
    static int instanceBytes(RawLayout layout, Class<?> type) {
        long end = layout.heap().objectHeaderSizeBytes();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    end = Math.max(end, Access.raw().objectFieldOffset(field) + layout.elementBytes(field.getType()));
                }
            }
        }
        return RawFormat.alignUp((int) end, layout.heap().objectAlignmentBytes());
    }

    @Override
    final byte[] classBytes() {
        return classBytes;
    }

    @Override
    long sizeBytes(Object object) {
        return instanceBytes;
    }

    @Override
    boolean isLeaf(Object object) {
        return leaf;
    }

    @Override
    void write(RawAddressedWriter writer, Object object, int position) {
        RawMemory raw = Access.raw();
        layout.putHeader(writer.objects(), position, classWord);
        for (int i = 0; i < fields.length; i++) {
            int offset = offsets[i];
            byte[] objects = writer.objects();
            int p = position + offset;
            switch (fields[i].code) {
                case 'Z', 'B' -> objects[p] = raw.getByte(object, offset);
                case 'S', 'C' -> ImageFormat.SHORT.set(objects, p, raw.getShort(object, offset));
                case 'I', 'F' -> ImageFormat.INT.set(objects, p, raw.getInt(object, offset));
                case 'J', 'D' -> ImageFormat.LONG.set(objects, p, raw.getLong(object, offset));
                default -> writer.writeReference(p, travelling(writer, i, raw.getReference(object, offset)));
            }
        }
    }

    /**
     * What travels in place of what a field refers to.
     *
     * @param field its number in the order of offsets
     */
    @Nullable
    Object travelling(RawAddressedWriter writer, int field, @Nullable Object target) {
        return target;
    }

    @Override
    void forEachReference(Object object, Consumer<Object> visitor) {
        for (FieldAccess field : fields) {
            if (!field.field.getType().isPrimitive()) {
                Object target = field.getReference(object);
                if (target != null) {
                    visitor.accept(target);
                }
            }
        }
    }
}
