/**
 * Object graphs as images in the compact encoding: the walk over objects, identity, frames and types, for codecs of any kind.
 *
 * <p>Entry points: {@link ImageWriter} and {@link ImageReader}; {@link Codec} is what they call for each object, and {@link CodecRegistry} gives it.
 *
 * <p>Invariants: the stack is bounded for graphs of any depth. Readers take every byte for hostile. Readers and writers belong to one thread; codecs to
 * all. A writer is one object in layers, from {@link ByteWriter} to {@link ImageWriter}, and so is a reader. Nothing here knows a particular codec, nor the raw encoding beyond {@link RawInput} and {@link RawOutput}.
 *
 * <p>Tests: {@code ImageReaderTest}, {@code ImageFrameTest}, {@code RecordIdentityTest}, {@code SectionOrderTest}, {@code DepthTest}.
 */
@NullMarked
package org.heapspan.image.graph;

import org.jspecify.annotations.NullMarked;
