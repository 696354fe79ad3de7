package org.heapspan.image.codec;

import java.lang.reflect.Array;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.LeafCodec;
import org.heapspan.image.memory.Access;

/** Codec of arrays of one primitive type: the length and the elements as they lie in a little-endian memory. */
public final class PrimitiveArrayCodec extends LeafCodec {
    private final int elementSizeBytes;
    private final Class<?> componentType;

    PrimitiveArrayCodec(Class<?> arrayType, int tag) {
        super(arrayType, null, tag, TRACKED | SURE);
        componentType = arrayType.getComponentType();
        elementSizeBytes = sizeBytes(componentType);
    }

    public static int sizeBytes(Class<?> primitive) {
        if (primitive == long.class || primitive == double.class) {
            return 8;
        }
        if (primitive == int.class || primitive == float.class) {
            return 4;
        }
        return primitive == short.class || primitive == char.class ? 2 : 1;
    }

    @Override
    public void writeValue(ImageWriter writer, Object array) {
        writer.writeNumber(Array.getLength(array));
        writer.writeElements(array, elementSizeBytes);
    }

    @Override
    public Object readValue(ImageReader reader) {
        int length = reader.readArrayLength(type, elementSizeBytes);
        if (componentType == boolean.class) {
            return readBooleans(reader, length);
        }
        long sizeBytes = (long) length * elementSizeBytes;
        Object array = Access.RAW == null
                ? Array.newInstance(componentType, length)
                : Access.RAW.allocateUninitializedArray(componentType, length);
        reader.readElements(array, sizeBytes);
        return array;
    }

    private static boolean[] readBooleans(ImageReader reader, int length) {
        boolean[] array = new boolean[length];
        int done = 0;
        while (done < length) {
            int portion = reader.portion(length - done);
            for (int i = 0; i < portion; i++) {
                byte value = reader.buffer[reader.position + i];
                if (value != 0 && value != 1) {
                    throw reader.malformed("a boolean is " + value);
                }
                array[done + i] = value == 1;
            }
            reader.position += portion;
            done += portion;
        }
        return array;
    }
}
