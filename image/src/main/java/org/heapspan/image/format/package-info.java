/**
 * The image format: constants, numbers, frames, checksums, and the sources and sinks of frames.
 *
 * <p>Entry points: {@link ImageFormat} (compact encoding), {@link RawFormat} (raw encoding), {@link FrameSource} and {@link FrameSink}.
 *
 * <p>Invariants: {@code docs/formats/image.md} specifies every constant, of both encodings. No memory is allocated only because the bytes announce
 * a length ({@link ImageClaims}).
 *
 * <p>Tests: {@code FrameChecksumTest}; {@code FormatDocumentTest}, {@code RawFormatDocumentTest} and {@code ImageClaimsTest} in
 * {@code org.heapspan.image}.
 */
@NullMarked
package org.heapspan.image.format;

import org.jspecify.annotations.NullMarked;
