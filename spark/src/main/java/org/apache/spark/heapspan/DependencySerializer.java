package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.serializer.Serializer;

/**
 * The serializer of a shuffle that Spark has chosen.
 *
 * <p>Relies on {@code core/.../Dependency.scala} (field {@code serializer} of {@code ShuffleDependency}) of Spark 4.3, which map and reduce tasks
 * ask. It is written before the shuffle is known to anybody, and travels to the executors with the dependency. For final fields and
 * reflection see {@link EnvironmentSerializer}.
 */
final class DependencySerializer {
    private DependencySerializer() {}

    /**
     * Puts a serializer in the place of the one that the dependency was made with.
     *
     * @throws ReflectiveOperationException if this version of Spark keeps it elsewhere, or this JVM does not let final fields be
     *     written; then nothing has changed
     */
    static void replace(ShuffleDependency<?, ?, ?> dependency, Serializer serializer)
            throws ReflectiveOperationException {
        Field field = field();
        Object before = field.get(dependency);
        field.set(dependency, serializer);
        if (dependency.serializer() != serializer) {
            field.set(dependency, before);
            throw new NoSuchFieldException("ShuffleDependency.serializer() does not return the field of that name");
        }
    }

    /**
     * Finds out whether serializers can be replaced here.
     *
     * @throws ReflectiveOperationException if not
     */
    static void check() throws ReflectiveOperationException {
        field();
    }

    private static Field field() throws ReflectiveOperationException {
        return WritableField.of(ShuffleDependency.class, "serializer", Serializer.class);
    }
}
