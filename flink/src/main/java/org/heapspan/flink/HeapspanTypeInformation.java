package org.heapspan.flink;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.EnumTypeInfo;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.jspecify.annotations.Nullable;

/**
 * Flink's description of a type whose records are object images.
 *
 * <pre>{@code
 * DataStream<Order> orders = lines.map(Order::parse).returns(HeapspanTypeInformation.of(Order.class));
 * }</pre>
 *
 * <p>These classes have numbers in records:
 *
 * <ul>
 *   <li>the class of the type, the declared classes of its fields, those of their fields, and so on;
 *   <li>permitted subclasses of sealed classes;
 *   <li>the classes that {@link #of(Class, Class[])} is given;
 *   <li>the classes in {@code pipeline.serialization-config} of which a record can have objects.
 * </ul>
 *
 * <p>A record with an object of another class has the names of that class and of its fields. They take space and time.
 *
 * <p>{@code of} leaves two kinds of types to Flink. An enum is described as by Flink. A tuple of Flink whose field types are known keeps Flink's
 * description and serializer of tuples. Heapspan takes the fields for which Flink would use Kryo or its serializer of POJOs. It also takes
 * collections and arrays of such objects. Each field that Heapspan takes is a graph of its own, and can be null. Whether another field can be null
 * depends on Flink's serializer of its type: a number cannot. The types are known from a {@link TypeHint}, or from a class that extends a tuple. A
 * tuple of unknown types, such as {@code Tuple2.class}, is an image as a whole. So is a tuple whose class names {@link HeapspanTypeInfoFactory}.
 *
 * @param <T> class of the records
 */
public final class HeapspanTypeInformation<T> extends TypeInformation<T> {
    private static final long serialVersionUID = 1L;

    private final Class<T> type;
    private final ArrayList<Class<?>> further;

    /** The type arguments that Flink has found, by the names of their variables. */
    private final HashMap<String, TypeInformation<?>> arguments = new HashMap<>();

    private HeapspanTypeInformation(Class<T> type, List<Class<?>> further) {
        this.type = type;
        this.further = new ArrayList<>(further);
    }

    /** Describes a type whose records are images, also if it is a tuple. */
    static <T> HeapspanTypeInformation<T> ofImages(Class<T> type, List<Class<?>> further) {
        return new HeapspanTypeInformation<>(type, further);
    }

    /**
     * Describes a type with type arguments, as {@link #ofImages(Class, List)}.
     *
     * @param arguments by the names of their variables; null if the program does not tell
     */
    static <T> HeapspanTypeInformation<T> ofImages(Class<T> type, Map<String, @Nullable TypeInformation<?>> arguments) {
        HeapspanTypeInformation<T> made = ofImages(type, classesOf(arguments));
        arguments.forEach((name, argument) -> {
            if (argument != null) {
                made.arguments.put(name, argument);
            }
        });
        return made;
    }

    private static <T> TypeInformation<T> describe(Class<T> type, List<Class<?>> further) {
        if (type.isEnum()) {
            return ofEnum(type);
        }
        TypeInformation<T> tuple = FlinkTuples.describe(type, further);
        return tuple != null ? tuple : ofImages(type, further);
    }

    /** Flink's description of an enum. It is one of those that Flink does not accept as keys. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // The class is that of an enum.
    static <T> TypeInformation<T> ofEnum(Class<T> type) {
        return new EnumTypeInfo(type);
    }

    // The first two hide methods of Flink's class, which would give Flink's own description.

    /**
     * Describes a type.
     *
     * @param type class of the records
     * @param <T> class of the records
     * @return the type information; that of Flink for enums, and for tuples of known types
     */
    public static <T> TypeInformation<T> of(Class<T> type) {
        return describe(type, List.of());
    }

    /**
     * Describes a type with type arguments, whose classes have numbers.
     *
     * @param hint names the type: {@code new TypeHint<Box<Order>>() {}}
     * @param <T> type of the records
     * @return the type information; that of Flink for enums, and for tuples of known types
     */
    public static <T> TypeInformation<T> of(TypeHint<T> hint) {
        TypeInformation<T> described = hint.getTypeInfo();
        Class<T> type = described.getTypeClass();
        if (type.isEnum()) {
            return ofEnum(type);
        }
        Type declared = TypeExtractor.getParameterType(TypeHint.class, hint.getClass(), 0);
        TypeInformation<T> tuple = FlinkTuples.withObjects(described, declared, List.of());
        return tuple != null ? tuple : ofImages(type, DeclaredTypes.argumentsOf(declared));
    }

    private static List<Class<?>> classesOf(Map<String, @Nullable TypeInformation<?>> arguments) {
        List<Class<?>> classes = new ArrayList<>();
        for (TypeInformation<?> argument : arguments.values()) {
            if (argument != null) {
                classes.add(argument.getTypeClass());
            }
        }
        return classes;
    }

    /**
     * Describes a type.
     *
     * @param type class of the records
     * @param further classes that declarations do not name: subclasses, and classes of the elements of collections without a declared class
     * @param <T> class of the records
     * @return the type information; that of Flink for enums, and for tuples of known types
     */
    public static <T> TypeInformation<T> of(Class<T> type, Class<?>... further) {
        return describe(type, List.of(further));
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<T> getTypeClass() {
        return type;
    }

    /**
     * Returns the type arguments. Flink finds the type of a function's result in them, if that is an argument of the type of its input.
     *
     * @return the arguments that Flink has found, by the names of their variables
     */
    @Override
    public Map<String, TypeInformation<?>> getGenericParameters() {
        return Collections.unmodifiableMap(arguments);
    }

    /**
     * Whether records can be keys. Flink sends a record to a task by the hash code of its key, and compares the bytes of keys. So equal keys must have
     * equal hash codes in all JVMs, and equal bytes. This is true for final classes, such as records, that override {@code hashCode}. Their fields
     * can be primitives, boxes, dates, strings and UUIDs. In addition they can have at most one object of each other such class. For other types,
     * use a field, a tuple or a class of Flink as the key. {@code keyBy} does not ask this.
     *
     * @return whether they can
     */
    @Override
    public boolean isKeyType() {
        return ClassFacts.isKey(type);
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        Set<Class<?>> registered = new LinkedHashSet<>(config.getRegisteredPojoTypes());
        registered.addAll(config.getRegisteredKryoTypes());
        return new HeapspanSerializer<>(type, NumberedTypes.of(type, further, registered));
    }

    @Override
    public String toString() {
        return "HeapspanTypeInformation<" + type.getName() + ">";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HeapspanTypeInformation<?> information
                && type == information.type
                && further.equals(information.further);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, further);
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof HeapspanTypeInformation;
    }
}
