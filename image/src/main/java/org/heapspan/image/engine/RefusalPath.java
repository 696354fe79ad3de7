package org.heapspan.image.engine;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.PriorityBlockingQueue;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.FindableClasses;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.RefusedClass;
import org.jspecify.annotations.Nullable;

/**
 * Finds the way from a root to an object whose class is refused, once encoding has failed on one: a search in breadth that takes
 * time only in that case.
 */
final class RefusalPath {
    private static final int MOST_OBJECTS = 1_000_000;
    private static final int MOST_NAMES = 64;

    private RefusalPath() {}

    private record Step(Object object, @Nullable Step parent, String last) {
        /** The way from the root; of a long one the middle is left out. */
        String path() {
            ArrayDeque<String> end = new ArrayDeque<>();
            Step step = this;
            int length = 0;
            while (step != null) {
                length++;
                end.addFirst(step.last);
                if (end.size() > MOST_NAMES) {
                    end.removeFirst();
                }
                step = step.parent;
            }
            String text = String.join("", end);
            return length > MOST_NAMES ? "root...(" + (length - MOST_NAMES) + " steps)..." + text : text;
        }
    }

    static HeapspanException locate(
            CodecRegistry registry, @Nullable FindableClasses findable, Object root, HeapspanException refusal) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        ArrayDeque<Step> queue = new ArrayDeque<>();
        add(queue, seen, root, null, "root");
        while (!queue.isEmpty() && seen.size() < MOST_OBJECTS) {
            Step step = queue.remove();
            try {
                Codec codec = registry.codecOf(step.object.getClass());
                if (findable != null) {
                    findable.checkObject(step.object, codec);
                }
                RefusedClass refused = codec.refusalOf(step.object);
                if (refused != null) {
                    throw refused.toException("");
                }
                if (codec.has(Codec.LEAF)) {
                    // What it refers to does not travel: a constant stands for itself.
                    continue;
                }
            } catch (HeapspanException e) {
                if (e.category() == Category.CLASS_REFUSED) {
                    return new HeapspanException(
                            Category.CLASS_REFUSED, step.path() + ": " + e.getMessage(), e.getCause());
                }
            }
            expand(registry, queue, seen, step);
        }
        return refusal;
    }

    private static void add(
            ArrayDeque<Step> queue, Set<Object> seen, @Nullable Object object, @Nullable Step parent, String last) {
        if (object != null && seen.add(object)) {
            queue.add(new Step(object, parent, last));
        }
    }

    private static void expand(CodecRegistry registry, ArrayDeque<Step> queue, Set<Object> seen, Step step) {
        Object object = step.object;
        if (object instanceof Object[] array) {
            for (int i = 0; i < array.length; i++) {
                add(queue, seen, array[i], step, "[" + i + "]");
            }
            return;
        }
        if (object instanceof Collection<?> collection && JdkClasses.contain(object.getClass())) {
            int index = 0;
            for (Object element : collection) {
                add(queue, seen, element, step, "[" + index++ + "]");
            }
        } else if (object instanceof Map<?, ?> map && JdkClasses.contain(object.getClass())) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                add(queue, seen, entry.getKey(), step, ".keySet()");
                add(queue, seen, entry.getValue(), step, "[" + brief(entry.getKey()) + "]");
            }
        }
        add(queue, seen, comparatorOf(object), step, ".comparator()");
        // Collections have fields beside their elements: a view what it is a view of, or a lock.
        expandFields(registry, queue, seen, step);
    }

    /** What orders a collection of the JDK, which may stand in a field that does not travel as such. */
    private static @Nullable Object comparatorOf(Object object) {
        if (!JdkClasses.contain(object.getClass())) {
            return null;
        }
        if (object instanceof SortedMap<?, ?> map) {
            return map.comparator();
        }
        if (object instanceof SortedSet<?> set) {
            return set.comparator();
        }
        if (object instanceof PriorityQueue<?> queue) {
            return queue.comparator();
        }
        return object instanceof PriorityBlockingQueue<?> queue ? queue.comparator() : null;
    }

    private static String brief(@Nullable Object key) {
        boolean plain =
                key instanceof String || key instanceof Number || key instanceof Enum || key instanceof Character;
        return plain
                ? String.valueOf(key)
                : key == null ? "null" : key.getClass().getSimpleName();
    }

    private static void expandFields(CodecRegistry registry, ArrayDeque<Step> queue, Set<Object> seen, Step step) {
        for (Class<?> c = step.object.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : ClassFields.instanceFields(c)) {
                if (ClassFields.travels(field, registry.mode)
                        && !field.getType().isPrimitive()) {
                    try {
                        add(queue, seen, new FieldAccess(field).getReference(step.object), step, "." + field.getName());
                    } catch (HeapspanException outOfReach) {
                        // A part that cannot be looked at cannot be named either.
                    }
                }
            }
        }
    }
}
