/**
 * The raw encoding: objects as they lie in the heap, written by Java and read by the direct or the portable engine.
 *
 * <p>Entry points: {@link RawImageWriter} (with {@link RawQuickWriter} for most records, {@link RawNumberedWriter} for all others) and
 * {@link RawImageReader}; {@link RawForm} is how objects of a class are copied.
 *
 * <p>Invariants: only trusted bytes come here. Both engines give the same objects. Whatever the direct engine declines, the portable engine reads.
 *
 * <p>Tests: {@code RawImageTest}, {@code RawBoundariesTest}, {@code RawCarvingTest}, {@code RawMapTest}, {@code RawAlteredImageTest}.
 */
@NullMarked
package org.heapspan.image.raw;

import org.jspecify.annotations.NullMarked;
