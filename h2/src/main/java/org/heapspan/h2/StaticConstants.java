package org.heapspan.h2;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.heapspan.vm.RawMemory;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/**
 * The static final fields that may hold a direct instance of a class: those of the class itself, of its superclasses, of the classes around these, and
 * in Scala of their companions. The fields are read as they lie in memory, so that no class is initialized by being looked at. Thread-safe.
 */
final class StaticConstants {
    private final RawMemory memory;
    private final Slot[] slots;

    private record Slot(Object base, long offset) {}

    private StaticConstants(RawMemory memory, List<Slot> slots) {
        this.memory = memory;
        this.slots = slots.toArray(new Slot[0]);
    }

    /** Looks for the fields; null if there are none, or this JVM does not let memory be read. */
    static @Nullable StaticConstants of(Class<?> type) {
        RawMemory memory = VirtualMachine.current().memory();
        if (memory == null || isOfPlatform(type)) {
            return null;
        }
        List<Slot> slots = new ArrayList<>();
        for (Class<?> holder : holders(type)) {
            for (Field field : declaredFields(holder)) {
                int modifiers = field.getModifiers();
                if (Modifier.isStatic(modifiers)
                        && Modifier.isFinal(modifiers)
                        && field.getType().isAssignableFrom(type)) {
                    addSlot(memory, field, type, slots);
                }
            }
        }
        return slots.isEmpty() ? null : new StaticConstants(memory, slots);
    }

    private static void addSlot(RawMemory memory, Field field, Class<?> type, List<Slot> slots) {
        try {
            Slot slot = new Slot(memory.staticFieldBase(field), memory.staticFieldOffset(field));
            Object value = memory.getReference(slot.base, slot.offset);
            // What is null may get its value yet.
            if (value == null || value.getClass() == type) {
                slots.add(slot);
            }
        } catch (UnsupportedOperationException e) {
            // A record or hidden class, where only the public door to memory is open: its constants are copied.
        }
    }

    private static Set<Class<?>> holders(Class<?> type) {
        Set<Class<?>> holders = new LinkedHashSet<>();
        for (Class<?> c = type; c != null && !isOfPlatform(c); c = c.getSuperclass()) {
            Class<?> outer = c;
            while (outer != null && holders.add(outer)) {
                outer = enclosing(outer);
            }
        }
        for (Class<?> each : List.copyOf(holders)) {
            Class<?> companion = companion(each);
            if (companion != null) {
                holders.add(companion);
            }
        }
        return holders;
    }

    private static @Nullable Class<?> enclosing(Class<?> type) {
        try {
            return type.getEnclosingClass();
        } catch (LinkageError e) {
            // It is not there, or its class file says something else.
            return null;
        }
    }

    /** The class of the Scala object with the name of a class. Looked for in Scala's classes alone: a loader may ask far away for one that is missing. */
    private static @Nullable Class<?> companion(Class<?> type) {
        if (type.getName().endsWith("$") || !isOfScala(type)) {
            return null;
        }
        try {
            return Class.forName(type.getName() + "$", false, type.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    private static boolean isOfScala(Class<?> type) {
        Class<?> outermost = type;
        for (Class<?> outer = type; outer != null; outer = enclosing(outer)) {
            outermost = outer;
        }
        try {
            for (var annotation : outermost.getDeclaredAnnotations()) {
                if (annotation.annotationType().getName().startsWith("scala.reflect.Scala")) {
                    return true;
                }
            }
        } catch (LinkageError e) {
            // An annotation whose class is not there.
            return false;
        }
        return false;
    }

    private static Field[] declaredFields(Class<?> type) {
        try {
            return type.getDeclaredFields();
        } catch (LinkageError e) {
            // A field has a class that is not there.
            return new Field[0];
        }
    }

    /** Classes of the JDK and of Scala's library, whose constants images keep or whose identity nobody asks for. */
    private static boolean isOfPlatform(Class<?> type) {
        return type.getClassLoader() == null
                || type.getClassLoader() == ClassLoader.getPlatformClassLoader()
                || type.getName().startsWith("scala.");
    }

    /** Whether one of the fields holds this very object at the moment; those of a class that is not initialized yet hold nothing. */
    @SuppressWarnings("ReferenceEquality") // Identity is what it is about.
    boolean holds(Object instance) {
        for (Slot slot : slots) {
            if (memory.getReference(slot.base, slot.offset) == instance) {
                return true;
            }
        }
        return false;
    }
}
