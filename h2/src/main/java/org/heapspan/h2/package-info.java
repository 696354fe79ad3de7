/**
 * The second heap: objects in mapped files, which the garbage collector does not scan (TeraHeap). {@code docs/h2.md} is the manual.
 *
 * <p>Entry points: {@link SecondHeap} opens a heap with {@link SecondHeapOptions}. {@link H2Handle} and {@link H2Sequence} are what it stores,
 * {@link H2Appender} writes a sequence, {@link Label} groups what is freed together.
 *
 * <p>Inside: {@link Regions} allocates space and {@link Residence} is the place of one object graph. {@link Storage} is the interface to files,
 * {@link UnlinkedFiles} creates and maps them, {@link SegmentFiles} numbers them. {@link RegionWriter} and {@link StorageThread} write, {@link ReadAhead}
 * and {@link ElementIterator} read. {@link PressureMonitor} moves roots when the Java heap is full.
 *
 * <p>Invariants: a handle releases the object on the Java heap only after its bytes are written. A page is read only after it was written. Nothing
 * is left on the device when the process ends.
 *
 * <p>Tests: {@code SecondHeapTest}, {@code UpdateTest}, {@code FullHeapTest}, {@code UnlinkedFilesTest}; on Spark {@code CacheIT}.
 */
@NullMarked
package org.heapspan.h2;

import org.jspecify.annotations.NullMarked;
