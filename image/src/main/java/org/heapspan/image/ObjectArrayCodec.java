package org.heapspan.image;

import java.lang.reflect.Array;
import org.jspecify.annotations.Nullable;

/** Codec of arrays of references: the length is the shape, the elements are the body. */
final class ObjectArrayCodec extends Codec {
    private final Class<?> componentType;

    ObjectArrayCodec(Class<?> arrayType, int tag) {
        super(
                arrayType,
                tag != 0
                        ? null
                        : new TypeDescription(
                                TypeDescription.Kind.OBJECT_ARRAY,
                                arrayType.getName(),
                                java.util.List.of(),
                                java.util.List.of()),
                tag,
                TRACKED | DEFERRABLE | SURE);
        componentType = arrayType.getComponentType();
    }

    @Override
    void writeShape(ImageWriter writer, Object array) {
        writer.writeNumber(((Object[]) array).length);
    }

    @Override
    void writeBody(ImageWriter writer, Object array, @Nullable TypeHint hint) {
        Object[] elements = (Object[]) array;
        ElementsForm.write(
                writer, elements, writer.opaque(elements), elements.length, hint == null ? null : hint.first());
    }

    @Override
    Object allocate(ImageReader reader) {
        return Array.newInstance(componentType, reader.readArrayLength(type, 1));
    }

    @Override
    void readBody(ImageReader reader, Object array, @Nullable TypeHint hint) {
        Object[] elements = (Object[]) array;
        ElementsForm.read(reader, elements, elements.length, hint == null ? null : hint.first());
    }
}
