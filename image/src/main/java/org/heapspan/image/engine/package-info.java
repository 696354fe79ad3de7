/**
 * What is behind a {@code Heapspan} instance: pools of readers and writers, record groups, object streams, events, verification.
 *
 * <p>Entry point: {@link ImageEngine}, which {@code org.heapspan.Heapspan} calls.
 *
 * <p>Invariants: thread-safe, apart from groups and streams, which belong to one thread. Every failure is a {@code HeapspanException} with a category.
 *
 * <p>Tests: {@code HeapspanTest}, {@code GroupWriterTest}, {@code GroupReaderTest}, {@code HeapspanObjectStreamTest}, {@code VerificationTest}.
 */
@NullMarked
package org.heapspan.image.engine;

import org.jspecify.annotations.NullMarked;
