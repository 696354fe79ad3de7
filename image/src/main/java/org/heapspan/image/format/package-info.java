/**
 * The bytes of images: constants, numbers, frames, checksums, and where frames come from and go to.
 *
 * <p>Entry points: {@link ImageFormat} (compact encoding), {@link RawFormat} (raw encoding), {@link FrameSource} and {@link FrameSink}.
 *
 * <p>Invariants: {@code docs/formats/image.md} and {@code docs/formats/raw.md} specify every constant. Nothing is allocated on the word of the bytes
 * alone ({@link ImageClaims}).
 *
 * <p>Tests: {@code FormatDocumentTest}, {@code RawFormatDocumentTest}, {@code FrameChecksumTest}, {@code ImageClaimsTest}.
 */
@NullMarked
package org.heapspan.image.format;

import org.jspecify.annotations.NullMarked;
