/**
 * Facts about the running JVM, access to the memory of objects, the direct engine, and what other modules need of the system.
 *
 * <p>Entry points: {@link VirtualMachine} (what this JVM allows), {@link RawMemory} (access to memory), {@link HeapLayout}, {@link NativeLibrary} (loads
 * {@code libheapspan.so}), {@link Carver} and {@link CarvingSpace} (native code that creates objects), {@link Upkeep} (what a thread does again and
 * again, whatever the JVM lacks meanwhile).
 *
 * <p>Invariants: every assumption about HotSpot is in this package or in {@code native/src/vm}. It names the HotSpot source file and the JDK range, is
 * checked at start, and has a fallback. Nothing here needs a JVM flag, prints, or throws because a means of access is missing: that is a {@link Finding}.
 *
 * <p>Tests: {@code AccessMeansTest}, {@code HeapLayoutTest}, {@code CarverTest}, {@code CarverHeapVerificationTest}, {@code UpkeepTest}.
 */
@NullMarked
package org.heapspan.vm;

import org.jspecify.annotations.NullMarked;
