package org.heapspan.image.graph;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.MissingObject;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Objects that were read and then dropped, at least one of which has a class that the reader does not have. Kept objects may share objects
 * with them, except objects that lead to one of a missing class. Belongs to one reader; not thread-safe.
 */
final class DroppedObjects {
    /** Where the dropping began that goes on, or ended last. */
    private int begin;

    private boolean missing;

    // Indexes of the objects; all that were read meanwhile are among them.
    private int first;
    private int end;

    /** Objects that lead to none of a missing class. */
    private @Nullable Set<Object> harmless;

    void clear() {
        missing = false;
        if (end > 0) {
            end = 0;
            harmless = null;
        }
    }

    void begin(int objectCount) {
        begin = objectCount;
        missing = false;
    }

    /** Takes notice of an object of a missing class. */
    void addMissing() {
        missing = true;
    }

    void end(int objectCount) {
        if (missing) {
            first = end == 0 ? begin : Math.min(first, begin);
            end = objectCount;
            missing = false;
        }
    }

    boolean mayHold(int index) {
        return index < end && index >= first;
    }

    /**
     * Checks an object that is to be kept.
     *
     * @throws org.heapspan.HeapspanException if it leads to an object of a class that is missing
     */
    void check(Object kept) {
        Set<Object> met = harmless;
        if (met == null) {
            met = Collections.newSetFromMap(new IdentityHashMap<>());
            harmless = met;
        }
        ArrayDeque<Object> open = new ArrayDeque<>();
        open.add(kept);
        while (!open.isEmpty()) {
            Object object = open.remove();
            if (object instanceof MissingObject missingObject) {
                throw missingObject.toException();
            }
            if (met.add(object)) {
                addReferences(object, open);
            }
        }
    }

    private static void addReferences(Object object, ArrayDeque<Object> open) {
        if (object instanceof Object[] array) {
            for (Object element : array) {
                add(element, open);
            }
            return;
        }
        for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
            for (Field field : ClassFields.instanceFields(c)) {
                if (!field.getType().isPrimitive()) {
                    add(value(field, object), open);
                }
            }
        }
    }

    private static @Nullable Object value(Field field, Object object) {
        RawMemory memory = Access.RAW;
        if (memory != null) {
            return memory.getReference(object, memory.objectFieldOffset(field));
        }
        try {
            return field.trySetAccessible() ? field.get(object) : null;
        } catch (IllegalAccessException outOfReach) {
            return null;
        }
    }

    private static void add(@Nullable Object object, ArrayDeque<Object> open) {
        // What belongs to the JVM leads to all there is.
        if (object != null
                && !(object instanceof Class)
                && !(object instanceof ClassLoader)
                && !(object instanceof Module)
                && !(object instanceof Thread)) {
            open.add(object);
        }
    }
}
