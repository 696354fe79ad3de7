package org.heapspan.image.codec;

import java.util.Collections;
import java.util.List;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.LeafCodec;
import org.jspecify.annotations.Nullable;

/**
 * Objects that every JVM has made for itself and that programs, or the JDK, compare by identity: they travel as a number. Only
 * raw images refer to them; the compact encoding has no insides of containers in which they would occur.
 */
public final class OwnObjectCodec extends LeafCodec {
    OwnObjectCodec(int tag) {
        super(OwnObjectCodec.class, null, tag, TRACKED);
    }

    /** In the order of their numbers, which are part of the format; null for what could not be found here. */
    private static List<@Nullable Object> objects() {
        return java.util.Arrays.asList(
                MapInsides.HASH_SET_VALUE, MapInsides.TREE_SET_VALUE, Collections.reverseOrder());
    }

    /** Whether the only direct instance of a class is one of these objects. */
    public static boolean isOnlyInstance(Class<?> type) {
        return type == Collections.reverseOrder().getClass();
    }

    /** Whether constants of a class are among these objects. */
    public static boolean handles(Class<?> type) {
        return type == Object.class || isOnlyInstance(type);
    }

    /** The number of an object, or -1 if it is none of these. */
    @SuppressWarnings("ReferenceEquality") // Identity is what it is about.
    static int numberOf(Object object) {
        List<@Nullable Object> objects = objects();
        for (int number = 0; number < objects.size(); number++) {
            if (objects.get(number) == object) {
                return number;
            }
        }
        return -1;
    }

    @Override
    public void writeValue(ImageWriter writer, Object object) {
        writer.writeByte(numberOf(object));
    }

    @Override
    public Object readValue(ImageReader reader) {
        int number = reader.readByte() & 0xFF;
        List<@Nullable Object> objects = objects();
        Object object = number < objects.size() ? objects.get(number) : null;
        if (object == null) {
            throw reader.malformed(
                    "the image refers to object " + number + " of each JVM, which this one does not have");
        }
        return object;
    }
}
