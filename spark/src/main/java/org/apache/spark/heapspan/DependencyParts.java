package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import java.util.function.Function;
import org.apache.spark.Aggregator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.serializer.Serializer;
import scala.Option;

/**
 * What a shuffle was made with, and what takes its place.
 *
 * <p>Relies on {@code core/.../Dependency.scala} (fields {@code serializer} and {@code aggregator} of {@code ShuffleDependency}) of Spark 4.3, which map
 * and reduce tasks ask. They are written before the shuffle is known to anybody, and travel to the executors with the dependency. For final fields and
 * reflection see {@link EnvironmentSerializer}.
 */
final class DependencyParts {
    private DependencyParts() {}

    /**
     * Puts a serializer in the place of the one that the dependency was made with.
     *
     * @throws ReflectiveOperationException if this version of Spark keeps it elsewhere, or this JVM does not let final fields be
     *     written; then nothing has changed
     */
    static void replaceSerializer(ShuffleDependency<?, ?, ?> dependency, Serializer serializer)
            throws ReflectiveOperationException {
        replace(dependency, serializer(), serializer, ShuffleDependency::serializer);
    }

    /**
     * Puts an aggregator in the place of the one that the dependency was made with.
     *
     * @throws ReflectiveOperationException as above
     */
    static void replaceAggregator(ShuffleDependency<?, ?, ?> dependency, Aggregator<?, ?, ?> aggregator)
            throws ReflectiveOperationException {
        replace(dependency, aggregator(), Option.apply(aggregator), ShuffleDependency::aggregator);
    }

    private static void replace(
            ShuffleDependency<?, ?, ?> dependency,
            Field field,
            Object replacement,
            Function<ShuffleDependency<?, ?, ?>, ?> getter)
            throws ReflectiveOperationException {
        Object before = field.get(dependency);
        field.set(dependency, replacement);
        if (getter.apply(dependency) != replacement) {
            field.set(dependency, before);
            throw new NoSuchFieldException(
                    "ShuffleDependency." + field.getName() + "() does not return its field of that name");
        }
    }

    /**
     * Finds out whether both can be replaced here.
     *
     * @throws ReflectiveOperationException if not
     */
    static void check() throws ReflectiveOperationException {
        serializer();
        aggregator();
    }

    private static Field serializer() throws ReflectiveOperationException {
        return WritableField.of(ShuffleDependency.class, "serializer", Serializer.class);
    }

    private static Field aggregator() throws ReflectiveOperationException {
        return WritableField.of(ShuffleDependency.class, "aggregator", Option.class);
    }
}
