package org.heapspan.flink;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.functions.InvalidTypesException;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.jspecify.annotations.Nullable;

/**
 * Makes Flink use Heapspan for a class and its subclasses. Annotate the class:
 *
 * <pre>{@code
 * @TypeInfo(HeapspanTypeInfoFactory.class)
 * public class Order { ... }
 * }</pre>
 *
 * <p>Or, if the class is not yours, name it in {@code pipeline.serialization-config}:
 *
 * <pre>{@code
 * pipeline.serialization-config: [com.example.Order: {type: typeinfo, class: org.heapspan.flink.HeapspanTypeInfoFactory}]
 * }</pre>
 *
 * <p>An enum keeps Flink's description, so that Flink refuses it as a key.
 *
 * @param <T> the class
 */
public final class HeapspanTypeInfoFactory<T> extends TypeInfoFactory<T> {
    /** For Flink. */
    public HeapspanTypeInfoFactory() {}

    @Override
    @SuppressWarnings("unchecked") // Flink asks for the type that it says T is.
    public TypeInformation<T> createTypeInfo(Type type, Map<String, @Nullable TypeInformation<?>> genericParameters) {
        Type raw = type instanceof ParameterizedType parameterized ? parameterized.getRawType() : type;
        if (!(raw instanceof Class<?> c)) {
            throw new InvalidTypesException("type " + type + " is no class; annotate a class");
        }
        return (TypeInformation<T>)
                (c.isEnum()
                        ? HeapspanTypeInformation.ofEnum(c)
                        : HeapspanTypeInformation.ofImages(c, genericParameters));
    }
}
