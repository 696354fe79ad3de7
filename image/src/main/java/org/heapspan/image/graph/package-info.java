/**
 * The writer and the reader of the compact encoding: traversal of the graph, identity, frames and types. They work with any codec.
 *
 * <p>Entry points: {@link ImageWriter} and {@link ImageReader}; for each object they call a {@link Codec}, which the {@link CodecRegistry} returns.
 *
 * <p>Invariants: the stack is bounded for graphs of any depth. Readers validate every byte. A reader or writer is used by one thread; codecs are
 * thread-safe. A writer is one object whose classes are layers, from {@link ByteWriter} to {@link ImageWriter}; a reader is built the same way. This
 * package depends on no particular codec, and on the raw encoding only through {@link RawInput} and {@link RawOutput}.
 *
 * <p>Tests: {@code ImageReaderTest}, {@code ImageFrameTest}, {@code RecordIdentityTest}, {@code HeldImageTest}, {@code SectionOrderTest}, {@code DepthTest}.
 */
@NullMarked
package org.heapspan.image.graph;

import org.jspecify.annotations.NullMarked;
