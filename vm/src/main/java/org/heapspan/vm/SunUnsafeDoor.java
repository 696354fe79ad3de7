package org.heapspan.vm;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;

/**
 * Exports {@code jdk.internal.misc} to our module with nothing but {@code sun.misc.Unsafe}.
 *
 * <p>By reflection, so that nothing here links where {@code jdk.unsupported} is missing or the class is gone. Relies on
 * {@code Lookup.IMPL_LOOKUP} and {@code Module.implAddExports(String, Module)} of {@code java.base}, JDK 17 to 25.
 */
final class SunUnsafeDoor {
    private SunUnsafeDoor() {}

    /** @throws Throwable whatever stands in the way; the caller turns it into a finding */
    static void open() throws Throwable {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field singleton = type.getDeclaredField("theUnsafe");
        singleton.setAccessible(true);
        Object unsafe = singleton.get(null);
        Field trusted = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
        Object base = type.getMethod("staticFieldBase", Field.class).invoke(unsafe, trusted);
        Object offset = type.getMethod("staticFieldOffset", Field.class).invoke(unsafe, trusted);
        MethodHandles.Lookup lookup = (MethodHandles.Lookup)
                type.getMethod("getObject", Object.class, long.class).invoke(unsafe, base, offset);
        MethodHandle export = lookup.findVirtual(
                Module.class, "implAddExports", MethodType.methodType(void.class, String.class, Module.class));
        export.invokeExact(Object.class.getModule(), "jdk.internal.misc", SunUnsafeDoor.class.getModule());
    }
}
