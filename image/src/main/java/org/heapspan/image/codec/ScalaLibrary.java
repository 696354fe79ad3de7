package org.heapspan.image.codec;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.memory.Access;
import org.jspecify.annotations.Nullable;

/**
 * The public methods of Scala's collection library that {@link ScalaCodecs} needs, as one class loader has it. Codecs hold it, and
 * they live as long as the classes of that loader.
 */
final class ScalaLibrary {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();
    private static final String COLLECTION = "scala.collection.";

    private final ClassLoader loader;
    private final Class<?> orderingClass;

    private final MethodHandle size;
    private final MethodHandle copyToArray;
    private final MethodHandle keysIterator;
    private final MethodHandle valuesIterator;
    private final MethodHandle key;
    private final MethodHandle value;
    private final MethodHandle newTuple;
    private final MethodHandle newSequence;
    private final MethodHandle addAll;

    ScalaLibrary(ClassLoader loader) throws ReflectiveOperationException {
        this.loader = loader;
        orderingClass = classNamed("scala.math.Ordering");
        Class<?> iterable = classNamed(COLLECTION + "IterableOnceOps");
        Class<?> map = classNamed(COLLECTION + "MapOps");
        Class<?> iterator = classNamed(COLLECTION + "Iterator");
        Class<?> tuple = classNamed("scala.Tuple2");
        size = method(iterable, "size", int.class).asType(MethodType.methodType(int.class, Object.class));
        copyToArray = method(iterable, "copyToArray", int.class, Object.class)
                .asType(MethodType.methodType(int.class, Object.class, Object.class));
        keysIterator = generic(method(map, "keysIterator", iterator));
        valuesIterator = generic(method(map, "valuesIterator", iterator));
        key = generic(method(tuple, "_1", Object.class));
        value = generic(method(tuple, "_2", Object.class));
        newTuple =
                generic(LOOKUP.findConstructor(tuple, MethodType.methodType(void.class, Object.class, Object.class)));
        newSequence = generic(LOOKUP.findConstructor(
                classNamed(COLLECTION + "immutable.ArraySeq$ofRef"),
                MethodType.methodType(void.class, Object[].class)));
        Class<?> growable = classNamed(COLLECTION + "mutable.Growable");
        addAll = generic(method(growable, "addAll", growable, classNamed(COLLECTION + "IterableOnce")));
    }

    private Class<?> classNamed(String name) throws ClassNotFoundException {
        return Class.forName(name, false, loader);
    }

    private static MethodHandle method(Class<?> type, String name, Class<?> result, Class<?>... parameters)
            throws ReflectiveOperationException {
        return LOOKUP.findVirtual(type, name, MethodType.methodType(result, parameters));
    }

    private static MethodHandle generic(MethodHandle handle) {
        return handle.asType(handle.type().generic());
    }

    /** The companion's method that makes a collection: of a sequence, and of an ordering if it has two parameters. */
    MethodHandle from(String className, int parameters) throws ReflectiveOperationException {
        Class<?> companion = classNamed(className + "$");
        for (Method method : companion.getMethods()) {
            if (method.getName().equals("from")
                    && method.getParameterCount() == parameters
                    && method.getReturnType() == Object.class) {
                Object module = companion.getField("MODULE$").get(null);
                return generic(LOOKUP.unreflect(method).bindTo(module));
            }
        }
        throw new NoSuchMethodException(className + ".from");
    }

    /** What gives the ordering of a sorted collection. */
    MethodHandle ordering(Class<?> type) throws ReflectiveOperationException {
        return generic(method(type, "ordering", orderingClass));
    }

    boolean isOrdering(@Nullable Object object) {
        return orderingClass.isInstance(object);
    }

    MethodHandle constructor(Class<?> type) throws ReflectiveOperationException {
        return generic(LOOKUP.findConstructor(type, MethodType.methodType(void.class)));
    }

    // ---------------------------------------------------------------- calls

    static Object make(MethodHandle constructor) {
        try {
            return constructor.invokeExact();
        } catch (Throwable e) {
            throw Access.sneaky(e);
        }
    }

    static Object call(MethodHandle handle, Object first) {
        try {
            return handle.invokeExact(first);
        } catch (Throwable e) {
            throw Access.sneaky(e);
        }
    }

    static Object call(MethodHandle handle, Object first, @Nullable Object second) {
        try {
            return handle.invokeExact(first, second);
        } catch (Throwable e) {
            throw Access.sneaky(e);
        }
    }

    /** The elements of a collection in the order of its iterator. */
    @Nullable
    Object[] elements(Object collection) {
        return copied(collection, size(collection));
    }

    private int size(Object collection) {
        try {
            return (int) size.invokeExact(collection);
        } catch (Throwable e) {
            throw Access.sneaky(e);
        }
    }

    private @Nullable Object[] copied(Object collectionOrIterator, int size) {
        @Nullable Object[] elements = new Object[size];
        try {
            int count = (int) copyToArray.invokeExact(collectionOrIterator, (Object) elements);
            return count == size ? elements : Arrays.copyOf(elements, count);
        } catch (Throwable e) {
            throw Access.sneaky(e);
        }
    }

    void pushElements(ImageWriter writer, Object collection) {
        @Nullable Object[] elements = elements(collection);
        writer.waiting.pushAll(elements, elements.length);
    }

    /** Pushes keys and values of a map that others may change, in which they belong together only as a tuple. */
    void pushEntries(ImageWriter writer, Object map) {
        for (Object tuple : elements(map)) {
            writer.waiting.push(call(key, tuple));
            writer.waiting.push(call(value, tuple));
        }
    }

    void pushImmutableEntries(ImageWriter writer, Object map) {
        int size = size(map);
        @Nullable Object[] keys = copied(call(keysIterator, map), size);
        @Nullable Object[] values = copied(call(valuesIterator, map), size);
        for (int i = 0; i < size; i++) {
            writer.waiting.push(keys[i]);
            writer.waiting.push(values[i]);
        }
    }

    /** A Scala sequence on top of an array. */
    Object sequence(@Nullable Object[] elements) {
        return call(newSequence, elements);
    }

    /** A Scala sequence of the tuples of keys and values in turn. */
    Object sequenceOfTuples(@Nullable Object[] pairs) {
        Object[] tuples = new Object[pairs.length / 2];
        for (int i = 0; i < tuples.length; i++) {
            tuples[i] = call(newTuple, pairs[2 * i], pairs[2 * i + 1]);
        }
        return sequence(tuples);
    }

    /** Adds a sequence to a collection. */
    void addAll(Object collection, Object sequence) {
        Object same = call(addAll, collection, sequence);
        if (same != collection) {
            throw new IllegalStateException("addAll of " + collection.getClass() + " made another collection");
        }
    }
}
