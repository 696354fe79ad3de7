package org.heapspan.flink;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.functions.InvalidTypesException;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.ObjectArrayTypeInfo;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.jspecify.annotations.Nullable;

/**
 * Tuples of Flink. Flink's serializer of a tuple knows the type of each field, and so needs less time for numbers and strings than an image with
 * objects of any class. Heapspan takes the fields that are objects: those for which Flink would use Kryo or its serializer of POJOs, and
 * collections and arrays of them.
 */
final class FlinkTuples {
    private FlinkTuples() {}

    /**
     * Describes a tuple.
     *
     * @param type class of the records
     * @param further classes that declarations do not name
     * @return null if the class is no tuple, or does not tell the types of the fields
     */
    static <T> @Nullable TypeInformation<T> describe(Class<T> type, List<Class<?>> further) {
        if (!Tuple.class.isAssignableFrom(type)) {
            return null;
        }
        try {
            return withObjects(TypeExtractor.createTypeInfo(type), type, further);
        } catch (InvalidTypesException e) {
            // Such as Tuple2.class: the program does not say of what.
            return null;
        }
    }

    /**
     * Describes a tuple that Flink has described: Heapspan takes its objects.
     *
     * @param declared the type as the program has declared it
     * @return null if it is no tuple
     */
    static <T> @Nullable TypeInformation<T> withObjects(
            TypeInformation<T> described, Type declared, List<Class<?>> further) {
        if (!(described instanceof TupleTypeInfo<?> tuple)) {
            return null;
        }
        // A type variable names no class. Flink may know it all the same.
        boolean named = Tuple.class.isAssignableFrom(DeclaredTypes.rawClass(declared));
        Type[] declaredFields = fieldsOf(named ? declared : described.getTypeClass());
        TypeInformation<?>[] fields = new TypeInformation<?>[tuple.getArity()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = field(tuple.getTypeAt(i), declaredFields[i], further);
        }
        return rebuilt(described.getTypeClass(), fields);
    }

    /** The types of a tuple's fields: the type arguments of the class of Flink that it is or extends. */
    private static Type[] fieldsOf(Type tuple) {
        Map<Type, Type> arguments = new HashMap<>();
        Type type = tuple;
        while (true) {
            Class<?> c = DeclaredTypes.rawClass(type);
            Type[] fields = Arrays.copyOf(c.getTypeParameters(), c.getTypeParameters().length, Type[].class);
            if (type instanceof ParameterizedType parameterized) {
                Type[] given = parameterized.getActualTypeArguments();
                for (int i = 0; i < fields.length; i++) {
                    arguments.put(fields[i], arguments.getOrDefault(given[i], given[i]));
                }
            }
            if (c.getSuperclass() == Tuple.class) {
                Arrays.setAll(fields, i -> arguments.getOrDefault(fields[i], fields[i]));
                return fields;
            }
            type = c.getGenericSuperclass();
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // The class is that of a tuple.
    private static <T> TypeInformation<T> rebuilt(Class<T> type, TypeInformation<?>[] fields) {
        return new TupleTypeInfo(type, fields);
    }

    private static <F> TypeInformation<F> field(TypeInformation<F> described, Type declared, List<Class<?>> further) {
        if (described instanceof TupleTypeInfo) {
            return Objects.requireNonNull(withObjects(described, declared, further));
        }
        if (hasObjects(described, declared)) {
            List<Class<?>> known = new ArrayList<>(DeclaredTypes.argumentsOf(declared));
            known.addAll(further);
            return HeapspanTypeInformation.ofImages(described.getTypeClass(), known);
        }
        return described;
    }

    /** Whether Flink would use Kryo or its serializer of POJOs for a field, or for elements of it. */
    private static boolean hasObjects(TypeInformation<?> described, Type declared) {
        if (described instanceof ObjectArrayTypeInfo<?, ?> array) {
            return hasObjects(array.getComponentInfo(), declared);
        }
        if (described instanceof GenericTypeInfo || described instanceof PojoTypeInfo) {
            return true;
        }
        Class<?> type = described.getTypeClass();
        return (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type))
                && DeclaredTypes.argumentsOf(declared).stream()
                        .anyMatch(each -> BasicTypeInfo.getInfoFor(each) == null);
    }
}
