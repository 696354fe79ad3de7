package org.heapspan.vm;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import org.jspecify.annotations.Nullable;

/**
 * The door of JDK 22 and later: a foreign function that is called without a change of the thread's state.
 *
 * <p>The thread stays one that runs Java code and reaches no safepoint before the function returns, so that no collection and no walk
 * over the heap takes place meanwhile ({@code Linker.Option.critical}, JEP 454; {@code src/hotspot/share/prims/downcallLinker.cpp},
 * JDK 22 to 25). By reflection, because class files here are those of JDK 17. Fallback: no carver.
 */
final class CriticalCall {
    /** Only this linker leaves the state alone: the one for platforms without their own calls through libffi, with a change. */
    private static final String LINKER = "jdk.internal.foreign.abi.x64.sysv.SysVx64Linker";

    private static final Link LINK = link();

    /** In a constant of its own, through which the JIT compiler inlines the call. */
    private static final @Nullable MethodHandle CARVE = LINK.function;

    private CriticalCall() {}

    private record Link(
            @Nullable MethodHandle function, @Nullable String failure) {}

    /** Why there is no such door; {@code null} if there is. */
    static @Nullable String failure() {
        return LINK.failure;
    }

    /** Returns the number of a {@link Decline}, or 0. */
    static long carve(long holderReference, long requestAddress) {
        MethodHandle function = CARVE;
        if (function == null) {
            throw new IllegalStateException(LINK.failure);
        }
        try {
            return (long) function.invokeExact(holderReference, requestAddress);
        } catch (RuntimeException | Error e) {
            // Of the JVM: the end of the stack, or while it links the call.
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a function of C throws nothing", e);
        }
    }

    private static Link link() {
        try {
            return link(CarvingLibrary.carveFunction());
        } catch (InvocationTargetException e) {
            return new Link(null, String.valueOf(e.getCause()));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return new Link(null, e.toString());
        }
    }

    private static Link link(long functionAddress) throws ReflectiveOperationException {
        Class<?> linkerType = Class.forName("java.lang.foreign.Linker");
        Class<?> optionType = Class.forName("java.lang.foreign.Linker$Option");
        Class<?> layoutType = Class.forName("java.lang.foreign.MemoryLayout");
        Class<?> segmentType = Class.forName("java.lang.foreign.MemorySegment");
        Class<?> descriptorType = Class.forName("java.lang.foreign.FunctionDescriptor");
        Object linker = linkerType.getMethod("nativeLinker").invoke(null);
        if (!linker.getClass().getName().equals(LINKER)) {
            return new Link(null, "the JDK's linker is " + linker.getClass().getName() + ", expected " + LINKER);
        }
        Object number = Class.forName("java.lang.foreign.ValueLayout")
                .getField("JAVA_LONG")
                .get(null);
        Object parameters = Array.newInstance(layoutType, 2);
        Array.set(parameters, 0, number);
        Array.set(parameters, 1, number);
        Object descriptor = descriptorType
                .getMethod("of", layoutType, parameters.getClass())
                .invoke(null, number, parameters);
        Object options = Array.newInstance(optionType, 1);
        Array.set(options, 0, optionType.getMethod("critical", boolean.class).invoke(null, false));
        Object function = segmentType.getMethod("ofAddress", long.class).invoke(null, functionAddress);
        return new Link(
                (MethodHandle) linkerType
                        .getMethod("downcallHandle", segmentType, descriptorType, options.getClass())
                        .invoke(linker, function, descriptor, options),
                null);
    }
}
