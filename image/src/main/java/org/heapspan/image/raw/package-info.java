/**
 * The writer and the reader of the raw encoding: the bytes of objects in the heap, written by Java code, and read by the direct or the portable engine.
 *
 * <p>Entry points: {@link RawImageWriter} and {@link RawImageReader}; a {@link RawForm} copies the objects of one class. {@link
 * RawAddressedWriter}, which knows objects by their addresses, writes most records; {@link RawNumberedWriter}, which knows them by their
 * numbers, writes the others.
 *
 * <p>Invariants: accepts trusted bytes only. Both engines give the same objects. If the direct engine declines a chunk, the portable engine reads it.
 *
 * <p>Tests: {@code RawAddressedWriterTest}, {@code RawBoundariesTest}, {@code RawCarvingTest}, {@code RawMapTest}, {@code RawAlteredImageTest}, and
 * {@code RawImageTest} in {@code org.heapspan}, through the API.
 */
@NullMarked
package org.heapspan.image.raw;

import org.jspecify.annotations.NullMarked;
