/**
 * The API of Heapspan: Java object graphs as object images, without registration of classes.
 *
 * <p>Entry points: {@link Heapspan} encodes, decodes and copies; {@link HeapspanBuilder} sets its options. {@link GroupWriter} and {@link GroupReader}
 * are for many records. {@link HeapspanObjectOutputStream} and {@link HeapspanObjectInputStream} replace Java's object streams.
 *
 * <p>Invariants: errors are {@link HeapspanException} with a category. Nothing prints, exits or needs a JVM flag. The packages
 * {@code org.heapspan.image.*} behind this one are internal, except {@code org.heapspan.image.inspect}.
 *
 * <p>Tests: {@code HeapspanTest}, {@code GroupWriterTest}, {@code HeapspanObjectStreamTest}.
 */
@NullMarked
package org.heapspan;

import org.jspecify.annotations.NullMarked;
