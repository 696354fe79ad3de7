package org.heapspan.image;

import java.lang.reflect.Field;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.image.TypeDescription.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Decides how objects travel in a raw image, once for each class. Copied are objects whose copy behaves as they do in every JVM:
 * those of user classes that travel field by field, arrays, strings, boxes, and the classes of the JDK in {@link RawVetted}.
 */
final class RawForms {
    private RawForms() {}

    private static final Set<Class<?>> BOXES = Set.of(
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class);

    /** The form of direct instances of a class; the codec's class may be another where it handles several. */
    static RawForm of(Codec codec, Class<?> type) {
        RawForm form = codec.rawForm;
        if (form == null) {
            form = make(codec, type);
            codec.rawForm = form;
        }
        return form;
    }

    private static RawForm make(Codec codec, Class<?> type) {
        RawLayout layout = RawLayout.OWN;
        if (layout == null) {
            throw new IllegalStateException("this JVM's heap cannot be looked into");
        }
        if (codec instanceof EnumCodec
                || codec instanceof ImmutableCollectionCodecs.OfEmpty
                || type == Class.class
                || Charset.class.isAssignableFrom(type)) {
            return RawForm.CONSTANT;
        }
        if (codec instanceof PrimitiveArrayCodec || codec instanceof ObjectArrayCodec) {
            return new RawArrayForm(layout, type);
        }
        if (ClassPolicy.isOfJdk(type)) {
            TypeDescription vetted = RawVetted.describe(type);
            return vetted == null ? RawForm.SIDE : vettedForm(layout, codec, type, vetted);
        }
        TypeDescription description = codec.description;
        if (description != null && description.kind() == Kind.FIELDS) {
            Access.raw().ensureClassInitialized(type);
            FieldAccess[] fields = ClassPolicy.targets(type, description);
            return new RawInstanceForm(layout, type, description, fields, codec.has(Codec.TRACKED));
        }
        return RawForm.SIDE;
    }

    private static RawForm vettedForm(RawLayout layout, Codec codec, Class<?> type, TypeDescription description) {
        FieldAccess[] fields = ClassPolicy.targets(type, description);
        if (type == String.class) {
            return new RawStringForm(layout, description, fields);
        }
        if (type == ArrayList.class) {
            return new RawListForm(layout, description, fields);
        }
        if (BOXES.contains(type)) {
            return new RawBoxForm(layout, type, description, fields);
        }
        return new RawInstanceForm(layout, type, description, fields, codec.has(Codec.TRACKED));
    }

    /** Boxes: those that {@code valueOf} keeps are constants, because programs compare them by identity, knowingly or not. */
    private static final class RawBoxForm extends RawInstanceForm {
        RawBoxForm(RawLayout layout, Class<?> type, TypeDescription description, FieldAccess[] fields) {
            super(layout, type, description, fields, false);
        }

        @Override
        @Nullable
        Object constantFor(Object box) {
            if (box instanceof Character character) {
                return character <= 127 ? Character.valueOf(character) : null;
            }
            if (box instanceof Boolean flag) {
                return Boolean.valueOf(flag);
            }
            if (box instanceof Float || box instanceof Double) {
                return null;
            }
            long value = ((Number) box).longValue();
            if (value != (byte) value) {
                return null;
            }
            if (box instanceof Integer) {
                return Integer.valueOf((int) value);
            }
            if (box instanceof Long) {
                return Long.valueOf(value);
            }
            return box instanceof Short ? (Object) Short.valueOf((short) value) : Byte.valueOf((byte) value);
        }
    }

    /** Lists whose size and elements come from one moment, whatever others do to the list meanwhile. */
    private static final class RawListForm extends RawInstanceForm {
        private final FieldAccess elements;
        private final FieldAccess size;

        RawListForm(RawLayout layout, TypeDescription description, FieldAccess[] fields) {
            super(layout, ArrayList.class, description, fields, true);
            size = fields[0];
            elements = fields[1];
        }

        @Override
        void write(RawImageWriter writer, Object list, int position) {
            layout.putHeader(writer.objects(), position, classWord);
            Object[] array = (Object[]) elements.getReference(list);
            int count = Math.min((int) size.getBits(list), array == null ? 0 : array.length);
            ImageFormat.INT.set(writer.objects(), position + (int) Access.raw().objectFieldOffset(size.field), count);
            writer.writeReference(position + (int) Access.raw().objectFieldOffset(elements.field), array);
        }
    }

    /** Checks a class of the JDK against what is expected of its fields. */
    static boolean hasFields(Class<?> type, Map<String, Class<?>> copied, List<String> caches) {
        int known = 0;
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : ClassPolicy.instanceFields(c)) {
                Class<?> expected = copied.get(field.getName());
                if (expected == null) {
                    if (!caches.contains(field.getName())) {
                        return false;
                    }
                } else if (expected != field.getType() || c != type) {
                    return false;
                } else {
                    known++;
                }
            }
        }
        return known == copied.size();
    }
}
