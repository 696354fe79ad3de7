package org.heapspan.image.codec;

import java.lang.reflect.Array;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Codec of arrays of references: the length is the shape, the elements are the body. */
public final class ObjectArrayCodec extends Codec {
    private final Class<?> componentType;

    public ObjectArrayCodec(Class<?> arrayType, int tag) {
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
    public void writeShape(ImageWriter writer, Object array) {
        writer.writeNumber(((Object[]) array).length);
    }

    @Override
    public void writeBody(ImageWriter writer, Object array, @Nullable TypeHint hint) {
        Object[] elements = (Object[]) array;
        ElementsForm.write(
                writer, elements, writer.opaque(elements), elements.length, hint == null ? null : hint.first());
    }

    @Override
    public Object allocate(ImageReader reader) {
        return Array.newInstance(componentType, reader.readArrayLength(type, 1));
    }

    @Override
    public void readBody(ImageReader reader, Object array, @Nullable TypeHint hint) {
        Object[] elements = (Object[]) array;
        ElementsForm.read(reader, elements, elements.length, hint == null ? null : hint.first());
    }
}
