package org.heapspan.image.serialization;

import java.lang.reflect.Array;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.heapspan.image.codec.PrimitiveArrayCodec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.JdkClasses;
import org.jspecify.annotations.Nullable;

/**
 * Watches a method by which a class of the JDK reads its objects: the tables that it makes as large as the image says, the copies that it makes
 * of what the image refers to, perhaps for the thousandth time, and the elements that a collection gets. Methods of other classes
 * answer for themselves.
 */
final class JdkReading {
    private static final int SLOT_BYTES = 4;

    /** A table has up to eight slots for an element (a {@code HashSet} with a small load factor). */
    private static final int MOST_SLOTS_EACH = 8;

    private final ImageReader reader;
    private final Class<?> level;

    /** How many objects are read for an element of the container; 0 if the object is none. */
    private final int objectsEach;

    private long objects;

    /** How many of the last objects were null: some containers end with one, and some maps with two. */
    private int nulls;

    /**
     * Watches a method.
     *
     * @param type whose object it reads
     * @param level the class that has the method
     */
    JdkReading(ImageReader reader, Class<?> type, Class<?> level) {
        this.reader = reader;
        this.level = level;
        objectsEach = Map.class.isAssignableFrom(type) ? 2 : Collection.class.isAssignableFrom(type) ? 1 : 0;
        // Its comparator comes first.
        objects = level == TreeSet.class ? -1 : 0;
    }

    /**
     * Refuses a table for which the image is too small.
     *
     * @param asking the class whose method is about to make it
     * @param length negative where no array is asked for
     */
    static void makeRoom(ImageReader reader, Class<?> asking, long length) {
        if (length <= 0) {
            return;
        }
        if (asking.getName().equals("java.util.Collections$CopiesList")) {
            // It asks for the length that it has, but allocates nothing.
            reader.checkLength(length);
            return;
        }
        if (length / MOST_SLOTS_EACH > reader.resolver.limits().maxArrayLength()) {
            reader.checkLength(length);
        }
        reader.takeMemory(length * SLOT_BYTES);
    }

    /** Takes notice of an object that the method has asked for. */
    void read(@Nullable Object object) {
        nulls = object == null ? nulls + 1 : 0;
        objects++;
        if (objectsEach > 0) {
            long elements = (objects - Math.min(nulls, objectsEach) + objectsEach - 1) / objectsEach;
            reader.checkLength(elements);
        }
        takeCopy(reader, level, object);
    }

    /** Takes notice of fields that the method has asked for. */
    void readFields(FieldBlock block, FieldCodec.Values values) {
        for (int slot = block.slots.size() - 1; slot >= block.primitives(); slot--) {
            takeCopy(reader, level, values.reference(slot));
        }
    }

    /**
     * Refuses an array, text or list that the method of a class may copy if the image is too small for the copy.
     *
     * @param asking the class that has the method
     */
    private static void takeCopy(ImageReader reader, Class<?> asking, @Nullable Object original) {
        long memoryBytes = 0;
        if (original instanceof String text) {
            // These keep a text as it is; others take it to pieces.
            memoryBytes = asking == Throwable.class || asking == Pattern.class ? 0 : text.length();
        } else if (original instanceof Object[] array) {
            memoryBytes = (long) array.length * SLOT_BYTES;
        } else if (original != null && original.getClass().isArray()) {
            Class<?> element = original.getClass().getComponentType();
            memoryBytes = (long) Array.getLength(original) * PrimitiveArrayCodec.sizeBytes(element);
        } else if (asking == Throwable.class
                && original instanceof List<?> list
                && JdkClasses.contain(original.getClass())) {
            // The exceptions that were suppressed: a list that takes next to nothing may have two billion of them.
            memoryBytes = (long) list.size() * SLOT_BYTES;
        }
        if (memoryBytes > 0) {
            reader.takeMemory(memoryBytes);
        }
    }
}
