package org.heapspan.image.type;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.Mode;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/** The fields of a class that travel, the descriptions of classes that follow from them, and the local fields for written ones. */
public final class ClassFields {
    private ClassFields() {}

    public static TypeDescription fieldDescription(Class<?> type, Mode mode) {
        List<Level> levels = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            List<TypeDescription.Field> fields = new ArrayList<>();
            for (Field field : instanceFields(c)) {
                if (travels(field, mode)) {
                    fields.add(
                            new TypeDescription.Field(TypeDescription.Field.codeOf(field.getType()), field.getName()));
                }
            }
            if (!fields.isEmpty()) {
                levels.add(0, new Level(c.getName(), 0, List.copyOf(fields)));
            }
        }
        return new TypeDescription(Kind.FIELDS, type.getName(), List.of(), List.copyOf(levels));
    }

    /** Whether the value of a field is part of what a class that travels field by field sends. */
    public static boolean travels(Field field, Mode mode) {
        // Transient fields of the JDK's classes are caches, never state that a copy would miss.
        return !Modifier.isTransient(field.getModifiers())
                || mode == Mode.CLONE && !JdkClasses.contain(field.getDeclaringClass());
    }

    public static TypeDescription hookDescription(Class<?> type) {
        List<Level> levels = new ArrayList<>();
        for (Class<?> c = type; c != null && Serializable.class.isAssignableFrom(c); c = c.getSuperclass()) {
            int flags = !type.isRecord() && SerializationMethods.writeObject(c) != null ? Level.HAS_WRITE_OBJECT : 0;
            levels.add(0, new Level(c.getName(), flags, serialFields(c)));
        }
        return new TypeDescription(Kind.HOOKS, type.getName(), List.of(), List.copyOf(levels));
    }

    private static List<TypeDescription.Field> serialFields(Class<?> type) {
        var streamClass = java.io.ObjectStreamClass.lookupAny(type);
        List<TypeDescription.Field> fields = new ArrayList<>();
        for (var field : streamClass.getFields()) {
            fields.add(new TypeDescription.Field(TypeDescription.Field.codeOf(field.getType()), field.getName()));
        }
        fields.sort(TypeDescription.Field.BY_NAME);
        return List.copyOf(fields);
    }

    private static final Comparator<Field> BY_NAME = new Comparator<>() {
        @Override
        public int compare(Field a, Field b) {
            return a.getName().compareTo(b.getName());
        }
    };

    /** Fields that belong to instances, in order of their names. */
    public static List<Field> instanceFields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                fields.add(field);
            }
        }
        fields.sort(BY_NAME);
        return fields;
    }

    /** The local fields of a description made from the local class, in the order of its block. */
    public static FieldAccess[] targets(Class<?> type, TypeDescription description) {
        Map<String, Class<?>> classes = hierarchy(type);
        List<FieldAccess> targets = new ArrayList<>();
        for (FieldBlock.Slot slot : new FieldBlock(description.levels()).slots) {
            Class<?> owner = classes.get(slot.level().className());
            if (owner == null) {
                throw new IllegalStateException(slot + " is no field of " + type);
            }
            try {
                targets.add(new FieldAccess(owner.getDeclaredField(slot.field().name())));
            } catch (NoSuchFieldException e) {
                throw new IllegalStateException(e);
            }
        }
        return targets.toArray(new FieldAccess[0]);
    }

    /** The field of a slot in the block of a class that travels field by field. */
    public static FieldAccess field(Mode mode, Class<?> type, int slot) {
        return targets(type, fieldDescription(type, mode))[slot];
    }

    public static Map<String, Class<?>> hierarchy(Class<?> type) {
        Map<String, Class<?>> classes = new HashMap<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            classes.put(c.getName(), c);
        }
        return classes;
    }

    // ---------------------------------------------------------------- evolution

    /** Local fields for written ones: by declaring class and name, else by name alone where that is unambiguous. */
    public static @Nullable FieldAccess[] evolvedTargets(Mode mode, Class<?> type, TypeDescription written) {
        Map<String, List<Field>> byName = new HashMap<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : instanceFields(c)) {
                if (travels(field, mode)) {
                    byName.computeIfAbsent(field.getName(), unused -> new ArrayList<>())
                            .add(field);
                }
            }
        }
        List<FieldBlock.Slot> slots = new FieldBlock(written.levels()).slots;
        @Nullable FieldAccess[] targets = new FieldAccess[slots.size()];
        for (int i = 0; i < targets.length; i++) {
            FieldBlock.Slot slot = slots.get(i);
            Field field = match(byName.getOrDefault(slot.field().name(), List.of()), slot);
            if (field != null) {
                checkType(type, slot.field(), field.getType());
                targets[i] = new FieldAccess(field);
            }
        }
        return targets;
    }

    private static @Nullable Field match(List<Field> candidates, FieldBlock.Slot slot) {
        for (Field candidate : candidates) {
            if (candidate.getDeclaringClass().getName().equals(slot.level().className())) {
                return candidate;
            }
        }
        return candidates.size() == 1 ? candidates.get(0) : null;
    }

    /** Whether a field of a local type can hold values of a written one. */
    public static boolean mayHold(TypeDescription.Field written, Class<?> localType) {
        char here = TypeDescription.Field.codeOf(localType);
        boolean bothReferences = isReference(here) && isReference(written.code());
        return here == written.code()
                || bothReferences
                        && (written.code() != TypeDescription.Field.STRING || localType.isAssignableFrom(String.class));
    }

    public static void checkType(Class<?> type, TypeDescription.Field written, Class<?> localType) {
        if (!mayHold(written, localType)) {
            throw new HeapspanException(
                    Category.EVOLUTION,
                    "field " + type.getName() + "." + written.name() + " was written as " + written.typeName()
                            + " and is "
                            + localType.getName()
                            + " here: a field can be added, removed or moved within the hierarchy, but its type"
                            + " cannot change; rename it");
        }
    }

    private static boolean isReference(char code) {
        return code == TypeDescription.Field.REFERENCE || code == TypeDescription.Field.STRING;
    }
}
