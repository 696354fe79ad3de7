package org.heapspan.nativerdd;

import java.nio.ByteBuffer;
import org.heapspan.vm.AccessMeans;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/** Entry points of the native library for native programs; {@code native/src/jni/rdd_entry_points.cpp}. Addresses are absolute. */
final class BoundaryLibrary {
    // Status of a call; as in boundary.h.
    static final int OK = 0;
    static final int HOST_FAILED = 1;
    static final int PROGRAM_FAILED = 2;
    static final int END = 3;

    /** Bytes of the operator in a {@code heapspan_error}. */
    static final int OPERATOR_BYTES = 128;

    /** Bytes of a {@code heapspan_error}. */
    static final int ERROR_BYTES = 2048;

    // Order of the values that `openStage` takes (enum StageValue).
    static final int STAGE = 8;

    static {
        VirtualMachine machine = VirtualMachine.current();
        if (machine.means() != AccessMeans.NATIVE_LIBRARY) {
            throw new NativeProgramException("native programs need Heapspan's native library, and this JVM uses "
                    + machine.means().propertyValue() + "; `heapspan doctor` says why");
        }
        if (!findMethods(ProgramHost.class, TaskHost.class)) {
            throw new NativeProgramException("the native library is of another version than the classes of Heapspan");
        }
    }

    private BoundaryLibrary() {}

    private static native boolean findMethods(Class<?> programHost, Class<?> taskHost);

    static native boolean hasProcessorLevel3();

    /** Children of this process do not get the file of a descriptor, if it is open. */
    static native void closeOnExec(int descriptor);

    /**
     * Opens a shared object, for as long as the JVM lives.
     *
     * @param path ends with 0
     * @param table gets the address of the program's table
     * @return null, or why this did not work
     */
    static native byte @Nullable [] openProgram(byte[] path, long[] table);

    static native byte[] compiler(long program);

    static native byte[] cpuLevel(long program);

    /** Runs the driver side; each argument ends with 0. */
    static native int runProgram(
            long program, ProgramHost host, int defaultParallelism, byte[] arguments, byte[] error);

    static native int receive(long function, long receiver, int partition, long address, long sizeBytes);

    static native int openStage(long program, TaskHost host, long[] values, byte[] error);

    static native int advanceStage(long stage, TaskHost host, byte[] error);

    static native void closeStage(long stage, TaskHost host);

    static native void forgetBroadcast(long program, long broadcast);

    /** 0 if there is no memory. */
    static native long allocate(long sizeBytes);

    static native void free(long address);

    /**
     * Fills an array with the next bytes of a batch, as a compressed shuffle has them.
     *
     * @param begin which of them; a multiple of 8
     * @param length how many, all within the batch and the array; from the beginning at least 8,016 or all
     * @return false if the JVM gives no access to the array
     */
    static native boolean toPlanes(long address, long sizeBytes, long begin, byte[] piece, int length);

    /** Takes what {@link #toPlanes} has made, one piece after the other. */
    static native boolean fromPlanes(long address, long sizeBytes, long begin, byte[] piece, int length);

    /** A view of memory; the caller sees to it that it is there. */
    static native ByteBuffer buffer(long address, int sizeBytes);
}
