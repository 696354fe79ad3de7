package org.heapspan.flink;

import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.MalformedParameterizedTypeException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The classes of which objects can be in a record, as far as declarations tell: those of fields, of their type arguments, and permitted
 * subclasses of sealed classes. They are in the order in which a record without nulls uses them first. So the numbers of most records are 0, 1, 2
 * and so on, and need not be written ({@link RecordForm}).
 */
final class DeclaredTypes {
    private final Set<Class<?>> classes = new LinkedHashSet<>();
    private final Set<Type> visited = new HashSet<>();

    /** Adds a type and all that its declarations name. */
    void add(Type type) {
        if (!visited.add(type)) {
            return;
        }
        if (type instanceof Class<?> c) {
            addClass(c);
        } else if (type instanceof ParameterizedType parameterized) {
            add(parameterized.getRawType());
            addAll(parameterized.getActualTypeArguments());
        } else if (type instanceof GenericArrayType array) {
            add(array.getGenericComponentType());
        } else if (type instanceof TypeVariable<?> variable) {
            addAll(variable.getBounds());
        } else if (type instanceof WildcardType wildcard) {
            addAll(wildcard.getUpperBounds());
        }
    }

    private void addAll(Type... types) {
        for (Type each : types) {
            add(each);
        }
    }

    private void addClass(Class<?> c) {
        if (c.isPrimitive()) {
            return;
        }
        classes.add(c);
        if (c.isArray()) {
            add(c.getComponentType());
            return;
        }
        if (c.getName().startsWith("java.")) {
            // How its objects are written is no matter of its fields.
            return;
        }
        try {
            for (Field field : referenceFields(c)) {
                add(field.getGenericType());
            }
        } catch (LinkageError | TypeNotPresentException | MalformedParameterizedTypeException e) {
            // A class that it names is missing. That is of no importance as long as no record has objects of it.
        }
        Class<?>[] permitted = c.getPermittedSubclasses();
        if (permitted != null) {
            addAll(permitted);
        }
    }

    /**
     * The fields of an object that are no primitives, in the order in which images have them: strings first, then the topmost class first, then
     * by name.
     */
    static List<Field> referenceFields(Class<?> type) {
        Deque<Class<?>> hierarchy = new ArrayDeque<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            hierarchy.push(c);
        }
        List<Field> strings = new ArrayList<>();
        List<Field> others = new ArrayList<>();
        for (Class<?> c : hierarchy) {
            List<Field> declared = new ArrayList<>(List.of(c.getDeclaredFields()));
            declared.sort(Comparator.comparing(Field::getName));
            for (Field field : declared) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0
                        && !field.getType().isPrimitive()) {
                    (field.getType() == String.class ? strings : others).add(field);
                }
            }
        }
        strings.addAll(others);
        return strings;
    }

    /** The class of a type. It is {@code Object} if the type names none. */
    static Class<?> rawClass(Type type) {
        if (type instanceof Class<?> c) {
            return c;
        }
        return type instanceof ParameterizedType parameterized ? (Class<?>) parameterized.getRawType() : Object.class;
    }

    /**
     * The classes that a type has as arguments, and the arguments of these: {@code A}, {@code B} and {@code C} of {@code Box<A, B<? extends C>>}. Of
     * an array, those of its elements.
     */
    static List<Class<?>> argumentsOf(Type type) {
        List<Class<?>> found = new ArrayList<>();
        if (type instanceof ParameterizedType parameterized) {
            addNamed(found, parameterized.getActualTypeArguments());
        } else if (type instanceof GenericArrayType array) {
            addNamed(found, array.getGenericComponentType());
        }
        return found;
    }

    private static void addNamed(List<Class<?>> found, Type... types) {
        for (Type type : types) {
            if (type instanceof WildcardType wildcard) {
                addNamed(found, wildcard.getUpperBounds());
                continue;
            }
            Class<?> c = rawClass(type);
            if (c != Object.class) {
                found.add(c);
            }
            found.addAll(argumentsOf(type));
        }
    }

    /** Whether an object of a class could be in a record of these types. */
    boolean mayHold(Class<?> subclass) {
        for (Class<?> c : classes) {
            if (c != Object.class && c.isAssignableFrom(subclass)) {
                return true;
            }
        }
        return false;
    }

    /** Those of which there can be objects. */
    List<Class<?>> instantiable() {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> c : classes) {
            if (c.isArray() || c.isEnum() || !Modifier.isAbstract(c.getModifiers())) {
                found.add(c);
            }
        }
        return found;
    }
}
