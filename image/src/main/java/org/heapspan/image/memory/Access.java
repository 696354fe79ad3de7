package org.heapspan.image.memory;

import java.lang.reflect.Field;
import java.nio.ByteOrder;
import org.heapspan.vm.RawMemory;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/** What this JVM lets the codecs do, as constants that the JIT folds. */
public final class Access {
    private Access() {}

    public static final VirtualMachine MACHINE = VirtualMachine.current();

    /** The door to raw object memory, or {@code null} where only reflection is left (and on big-endian machines). */
    public static final @Nullable RawMemory RAW =
            ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? MACHINE.memory() : null;

    public static final IdentityTable.Addresses ADDRESSES = new IdentityTable.Addresses(
            RAW, MACHINE.objectsMoveOnlyInPauses() ? MACHINE.collectionCounterAddress() : 0);

    /**
     * Whether a reference slot read as an {@code int} tells objects apart for as long as no collection pause comes between:
     * compressed references, and a collector that moves objects only in pauses that it counts.
     */
    public static final boolean ADDRESS_BITS =
            RAW != null && ADDRESSES.available() && RAW.arrayIndexScale(Object[].class) == 4;

    public static final long OBJECT_ARRAY_BASE = RAW == null ? 0 : RAW.arrayBaseOffset(Object[].class);

    /** Offset of a field of a JDK class, or -1 if there is no raw memory or no such field of that type in this JDK. */
    public static long offsetOf(Class<?> type, String name, Class<?> fieldType) {
        if (RAW == null) {
            return -1;
        }
        try {
            Field field = type.getDeclaredField(name);
            return field.getType() == fieldType ? RAW.objectFieldOffset(field) : -1;
        } catch (ReflectiveOperationException | RuntimeException unknownHere) {
            return -1;
        }
    }

    /** The door to raw memory, for code that runs only where there is one. */
    public static RawMemory raw() {
        RawMemory raw = RAW;
        if (raw == null) {
            throw new IllegalStateException("no raw memory under " + MACHINE.means());
        }
        return raw;
    }

    /** Makes an instance without running a constructor. */
    public static Object allocate(Class<?> type) {
        try {
            return raw().allocateInstance(type);
        } catch (InstantiationException e) {
            throw new IllegalStateException("cannot allocate " + type, e);
        }
    }

    /** Throws what the compiler does not let us throw; hooks of users may fail with anything. */
    @SuppressWarnings("unchecked")
    public static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
