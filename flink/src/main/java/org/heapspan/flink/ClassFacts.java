package org.heapspan.flink;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** What the declaration of a class tells about all of its objects. */
final class ClassFacts {
    /** Images have these by value: it does not matter whether two of them are one object. */
    private static final Set<Class<?>> VALUES = Set.of(
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            Instant.class,
            Duration.class);

    /** Final, and immutable. */
    private static final Set<Class<?>> OTHER_LEAVES = Set.of(String.class, UUID.class);

    private ClassFacts() {}

    /** Whether no object of a class can change, nor what it refers to. A copy is then the object itself. */
    static boolean isImmutable(Class<?> type) {
        return isImmutable(type, new HashSet<>());
    }

    private static boolean isImmutable(Class<?> type, Set<Class<?>> visited) {
        if (isLeaf(type) || !visited.add(type)) {
            return true;
        }
        if (!isFinalOfUser(type)) {
            return false;
        }
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (!Modifier.isStatic(modifiers)
                        && (!Modifier.isFinal(modifiers)
                                || Modifier.isTransient(modifiers)
                                || !isImmutable(field.getType(), visited))) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Whether objects of a class can be keys. Equal objects have equal bytes, as RocksDB and sorted keys need. Only strings and UUIDs can be in two
     * fields, and of these the serializer writes the second anew ({@link #isTree}). If it wrote a reference to the first, the bytes would tell
     * whether two fields have one string or two equal ones. Equal objects also have the same hash code in all JVMs, by which Flink sends records to
     * tasks.
     */
    static boolean isKey(Class<?> type) {
        return (isLeaf(type) || isFinalOfUser(type) && isTree(type)) && isHashedByValue(type);
    }

    /** Whether the hash code of an object of a leaf or a tree depends on nothing but its fields. That of an enum differs in each JVM. */
    private static boolean isHashedByValue(Class<?> type) {
        if (isLeaf(type)) {
            return !type.isEnum();
        }
        return !inheritsHashCode(type)
                && DeclaredTypes.referenceFields(type).stream().allMatch(field -> isHashedByValue(field.getType()));
    }

    private static boolean inheritsHashCode(Class<?> type) {
        try {
            return type.getMethod("hashCode").getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Whether no two references within an object of exactly this class can be to one object, other than strings and UUIDs: nobody minds whether
     * two of these are one.
     */
    static boolean isTree(Class<?> type) {
        return isTree(type, new HashSet<>());
    }

    private static boolean isTree(Class<?> type, Set<Class<?>> visited) {
        if (!visited.add(type) || !NumberedTypes.hasFieldsOnly(type)) {
            return false;
        }
        for (Field field : DeclaredTypes.referenceFields(type)) {
            Class<?> declared = field.getType();
            if (!isLeaf(declared) && !(isFinalOfUser(declared) && isTree(declared, visited))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLeaf(Class<?> type) {
        return type.isPrimitive() || VALUES.contains(type) || type.isEnum() || OTHER_LEAVES.contains(type);
    }

    private static boolean isFinalOfUser(Class<?> type) {
        return Modifier.isFinal(type.getModifiers())
                && !type.isArray()
                && !type.getName().startsWith("java.");
    }
}
