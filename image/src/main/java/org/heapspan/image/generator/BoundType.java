package org.heapspan.image.generator;

import java.lang.reflect.Field;
import java.lang.reflect.MalformedParameterizedTypeException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.List;

/**
 * What a field of a generic class is in a subclass that names its type arguments. In {@code class Sale extends Tuple2<Order, Long>} the second
 * field of the superclass is a {@code Long}. Nothing enforces that: its objects can hold others.
 */
final class BoundType {
    private BoundType() {}

    /** The type of a field of the objects of a class, as far as declarations tell. */
    static Type of(Class<?> type, Field field) {
        try {
            Type declared = field.getGenericType();
            // Variables of a class around the declaring one are not arguments of a superclass.
            return declared instanceof TypeVariable<?> variable
                            && variable.getGenericDeclaration() == field.getDeclaringClass()
                    ? argument(type, variable)
                    : declared;
        } catch (TypeNotPresentException | MalformedParameterizedTypeException | LinkageError e) {
            // A class that a declaration names is not here. There are no objects of it, then.
            return field.getType();
        }
    }

    /** The class of such a field, or the one by which it is declared if there is no other. */
    static Class<?> classOf(Class<?> type, Field field) {
        if (field.getType().isPrimitive()) {
            return field.getType();
        }
        Type bound = of(type, field);
        if (bound instanceof ParameterizedType parameterized) {
            bound = parameterized.getRawType();
        }
        return bound instanceof Class<?> c && field.getType().isAssignableFrom(c) ? c : field.getType();
    }

    private static Type argument(Class<?> type, TypeVariable<?> variable) {
        Object declaring = variable.getGenericDeclaration();
        for (Class<?> below = type; below != null && below != declaring; below = below.getSuperclass()) {
            if (below.getSuperclass() == declaring
                    && below.getGenericSuperclass() instanceof ParameterizedType parent) {
                int index = List.of(variable.getGenericDeclaration().getTypeParameters())
                        .indexOf(variable);
                Type argument = parent.getActualTypeArguments()[index];
                // An inner or local class can pass on a variable of the class around it, which tells nothing here: that
                // class may be its superclass, and the search would not end.
                return argument instanceof TypeVariable<?> next && next.getGenericDeclaration() == below
                        ? argument(type, next)
                        : argument;
            }
        }
        return variable;
    }
}
