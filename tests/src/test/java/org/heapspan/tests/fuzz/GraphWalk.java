package org.heapspan.tests.fuzz;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.heapspan.vm.RawMemory;
import org.heapspan.vm.VirtualMachine;

/**
 * Goes through all objects of a graph, and looks in the heap itself whether each field and each element holds what its declared type
 * allows. Nothing else notices it there: the JVM believes what somebody has put past it.
 */
final class GraphWalk {
    private static final int MOST_OBJECTS = 20_000;
    private static final String OWN_CLASSES = "org.heapspan.image.";

    private final RawMemory memory =
            Objects.requireNonNull(VirtualMachine.current().memory(), "this JVM grants no raw memory");
    private final Map<Class<?>, List<Slot>> slots = new HashMap<>();

    private record Slot(Field field, long offset) {}

    /** What is wrong, or nothing. */
    String fault(Object root) {
        Set<Object> met = Collections.newSetFromMap(new IdentityHashMap<>());
        ArrayDeque<Object> open = new ArrayDeque<>();
        open.add(root);
        while (!open.isEmpty() && met.size() < MOST_OBJECTS) {
            Object object = open.remove();
            if (!met.add(object)) {
                continue;
            }
            Class<?> type = object.getClass();
            if (type.getName().startsWith(OWN_CLASSES)) {
                return "the graph holds a " + type.getName() + ", which is ours";
            }
            String fault = type.isArray() ? faultOfArray(object, open) : faultOfFields(object, open);
            if (!fault.isEmpty()) {
                return fault;
            }
        }
        return "";
    }

    private String faultOfArray(Object array, ArrayDeque<Object> open) {
        if (!(array instanceof Object[] elements)) {
            return "";
        }
        Class<?> component = elements.getClass().getComponentType();
        for (int i = 0; i < elements.length; i++) {
            Object element = elements[i];
            if (element != null && !component.isInstance(element)) {
                return "element " + i + " of a " + array.getClass().getName() + " is a "
                        + element.getClass().getName();
            }
            add(element, open);
        }
        return "";
    }

    private String faultOfFields(Object object, ArrayDeque<Object> open) {
        for (Slot each : slots.computeIfAbsent(object.getClass(), this::slotsOf)) {
            Object value = memory.getReference(object, each.offset);
            if (value != null && !each.field.getType().isInstance(value)) {
                return each.field + " holds a " + value.getClass().getName();
            }
            add(value, open);
        }
        return "";
    }

    private static void add(Object value, ArrayDeque<Object> open) {
        // What belongs to the JVM is no part of the graph.
        if (value != null
                && !(value instanceof Class)
                && !(value instanceof ClassLoader)
                && !(value instanceof Module)
                && !(value instanceof Thread)
                // No image has one. That of a direct buffer, its cleaner, leads to others of this JVM, whatever they
                // belong to.
                && !(value instanceof Reference)) {
            open.add(value);
        }
    }

    private List<Slot> slotsOf(Class<?> type) {
        List<Slot> found = new ArrayList<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                    found.add(new Slot(field, memory.objectFieldOffset(field)));
                }
            }
        }
        return found;
    }
}
