package org.apache.spark.heapspan;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.jspecify.annotations.Nullable;

/**
 * What Spark's shuffle manager writes map outputs with: files on the local disk, or what {@code spark.shuffle.sort.io.plugin.class} has put in
 * their place. There must be one in a JVM, which is told when the executor begins.
 *
 * <p>Relies on {@code core/.../shuffle/sort/SortShuffleManager.scala} (private lazy value {@code shuffleExecutorComponents}) of Spark 4.3.
 */
final class MapOutputComponents {
    private static final String NAME = "shuffleExecutorComponents";

    /** Null until it has been found. */
    private static volatile @Nullable MethodHandle getter;

    private MapOutputComponents() {}

    static ShuffleExecutorComponents of(SortShuffleManager manager) throws ReflectiveOperationException {
        try {
            return (ShuffleExecutorComponents) getter().invokeExact(manager);
        } catch (ReflectiveOperationException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("Spark cannot create the writer of map outputs", e);
        }
    }

    /**
     * Finds out whether they can be had here.
     *
     * @throws ReflectiveOperationException if not
     */
    static void check() throws ReflectiveOperationException {
        getter();
    }

    private static MethodHandle getter() throws ReflectiveOperationException {
        MethodHandle known = getter;
        if (known == null) {
            Method method = SortShuffleManager.class.getDeclaredMethod(NAME);
            if (method.getReturnType() != ShuffleExecutorComponents.class) {
                throw new NoSuchMethodException(SortShuffleManager.class.getName() + "." + NAME + " returns a "
                        + method.getReturnType().getName() + ", expected a "
                        + ShuffleExecutorComponents.class.getName());
            }
            try {
                method.setAccessible(true);
            } catch (RuntimeException e) { // InaccessibleObjectException, and whatever a security manager throws
                throw new IllegalAccessException(
                        SortShuffleManager.class.getName() + "." + NAME + " cannot be reached: " + e.getMessage());
            }
            known = MethodHandles.lookup().unreflect(method);
            getter = known;
        }
        return known;
    }
}
