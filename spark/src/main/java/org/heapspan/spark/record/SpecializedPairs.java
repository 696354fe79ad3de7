package org.heapspan.spark.record;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Scala's subclasses of {@link Tuple2} for two primitive values, such as {@code Tuple2$mcIJ$sp} for an int and a long. Thread-safe.
 *
 * @param type the class
 * @param maker takes both values as objects, and returns a {@link Tuple2}
 */
record SpecializedPairs(Class<?> type, MethodHandle maker) {
    private static final ConcurrentMap<String, SpecializedPairs> KNOWN = new ConcurrentHashMap<>();

    /** The class for two kinds; null if Scala has none. */
    static @Nullable SpecializedPairs of(PlainKind key, PlainKind value) {
        if (key.letter == PlainKind.NOT_SPECIALIZED || value.letter == PlainKind.NOT_SPECIALIZED) {
            return null;
        }
        return KNOWN.computeIfAbsent("" + key.letter + value.letter, SpecializedPairs::find);
    }

    private static @Nullable SpecializedPairs find(String letters) {
        ClassLoader loader = Tuple2.class.getClassLoader();
        try {
            Class<?> type = Class.forName("scala.Tuple2$mc" + letters + "$sp", false, loader);
            MethodType constructor =
                    MethodType.fromMethodDescriptorString("(" + letters.charAt(0) + letters.charAt(1) + ")V", loader);
            MethodHandle maker = MethodHandles.publicLookup()
                    .findConstructor(type, constructor)
                    .asType(MethodType.methodType(Tuple2.class, Object.class, Object.class));
            return new SpecializedPairs(type, maker);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    Tuple2<?, ?> make(@Nullable Object key, @Nullable Object value) {
        try {
            return (Tuple2<?, ?>) maker.invokeExact(key, value);
        } catch (Throwable e) { // a method handle declares it
            throw new HeapspanException(Category.ACCESS, type.getName() + " cannot be created: " + e, e);
        }
    }
}
