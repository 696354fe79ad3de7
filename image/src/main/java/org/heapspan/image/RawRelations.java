package org.heapspan.image;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What must be alike in two JVMs so that every reference that is right in one is right in the other: the declared types of a class's
 * reference fields, and all its supertypes, by name. A reader that fills objects field by field checks each reference; one that copies
 * them whole compares these.
 */
final class RawRelations {
    private RawRelations() {}

    /**
     * A hash of the relations of a class (FNV-1a).
     *
     * @param fields of the class in the order of its {@link FieldBlock}; null for one that it does not have
     */
    static long fingerprint(Class<?> type, @Nullable FieldAccess[] fields) {
        long hash = 0xcbf29ce484222325L;
        for (FieldAccess field : fields) {
            hash = mix(hash, field == null ? "" : field.field.getType().getName());
        }
        for (String name : supertypes(type)) {
            hash = mix(hash, name);
        }
        return hash;
    }

    private static long mix(long hash, String name) {
        long mixed = hash;
        for (int i = 0; i < name.length(); i++) {
            mixed = (mixed ^ name.charAt(i)) * 0x100000001b3L;
        }
        return (mixed ^ 0xFFFF) * 0x100000001b3L;
    }

    /** Names of a class, its superclasses and all their interfaces. */
    static Set<String> supertypes(Class<?> type) {
        Set<String> names = new TreeSet<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            names.add(c.getName());
            addInterfaces(c, names);
        }
        return names;
    }

    private static void addInterfaces(Class<?> type, Set<String> names) {
        for (Class<?> each : type.getInterfaces()) {
            if (names.add(each.getName())) {
                addInterfaces(each, names);
            }
        }
    }

    /**
     * Whether classes that are subtypes of a type by name are so in truth, and not of a namesake that another loader defined.
     *
     * @param declared the type of a field or of an array's elements
     */
    static boolean agree(Class<?> declared, Iterable<Class<?>> classes) {
        if (declared.isPrimitive() || declared == Object.class) {
            return true;
        }
        for (Class<?> each : classes) {
            if (!declared.isAssignableFrom(each) && supertypes(each).contains(declared.getName())) {
                return false;
            }
        }
        return true;
    }

    /** The types of the references that objects of a class hold. */
    static Class<?>[] declaredTypes(Class<?> type, @Nullable FieldAccess[] fields) {
        if (type.isArray()) {
            return new Class<?>[] {type.getComponentType()};
        }
        return Arrays.stream(fields)
                .filter(field -> field != null && !field.field.getType().isPrimitive())
                .map(field -> field == null ? Object.class : field.field.getType())
                .distinct()
                .toArray(Class<?>[]::new);
    }
}
