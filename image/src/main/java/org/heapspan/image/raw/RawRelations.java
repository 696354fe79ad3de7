package org.heapspan.image.raw;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.jspecify.annotations.Nullable;

/**
 * What must be equal in two JVMs, so that each reference that is valid in one is valid in the other: the declared types of a class's
 * reference fields, and all its supertypes, by name. A reader that fills objects field by field checks each reference. A reader that copies
 * objects whole compares these names, and checks that each name is the name of one class only.
 */
final class RawRelations {
    private RawRelations() {}

    /**
     * A hash of the relations of a class (FNV-1a).
     *
     * @param fields of the class in the order of its {@link FieldBlock}; null for one that it does not have; none for arrays
     */
    static long fingerprint(Class<?> type, @Nullable FieldAccess[] fields) {
        long hash = 0xcbf29ce484222325L;
        for (FieldAccess field : fields) {
            hash = mix(hash, field == null ? "" : field.field.getType().getName());
        }
        Set<String> names = new TreeSet<>();
        supertypes(type).forEach(each -> names.add(each.getName()));
        for (String name : names) {
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

    /** The classes that decide which references are right: supertypes, declared types, and what arrays among them are arrays of. */
    static Class<?>[] classes(Class<?> type, @Nullable FieldAccess[] fields) {
        Set<Class<?>> classes = supertypes(type);
        for (FieldAccess field : fields) {
            if (field != null && !field.field.getType().isPrimitive()) {
                classes.add(element(field.field.getType()));
            }
        }
        return classes.toArray(Class<?>[]::new);
    }

    private static Class<?> element(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        return element;
    }

    /** A class, or what it is an array of, its superclasses and all their interfaces. */
    private static Set<Class<?>> supertypes(Class<?> type) {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (Class<?> c = element(type); c != null; c = c.getSuperclass()) {
            classes.add(c);
            addInterfaces(c, classes);
        }
        return classes;
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> classes) {
        for (Class<?> each : type.getInterfaces()) {
            if (classes.add(each)) {
                addInterfaces(each, classes);
            }
        }
    }
}
