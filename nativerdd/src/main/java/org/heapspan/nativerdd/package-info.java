/**
 * The Java side of native RDD programs, for any framework: it loads a program, runs its driver side and its stages, and holds its batches.
 *
 * <p>Entry point: {@link NativeProgram}. What a program calls back is {@link ProgramHost} in the driver and {@link TaskHost} in a task; a framework
 * implements both. The C side of all of it is {@code native/include/heapspan/rdd/boundary.h}, which says who owns what.
 *
 * <p>Invariants: a program is loaded only where the processor can run it, and only if it is the one that was asked for. No exception crosses the
 * boundary: a failure of the program becomes a {@link NativeProgramException}, and what a host throws arrives unchanged at the caller of the
 * program. A program that crashes ends the JVM.
 *
 * <p>Tests: {@code NativeProgramTest}, {@code NativeBatchTest}, {@code NativeWorkerTest}; the C++ side has {@code native/tests}.
 */
@NullMarked
package org.heapspan.nativerdd;

import org.jspecify.annotations.NullMarked;
