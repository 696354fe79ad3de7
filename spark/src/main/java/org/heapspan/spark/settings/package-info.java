/**
 * What an application was started with: the keys {@code spark.heapspan.*} with their values, and which jar of Heapspan this JVM has.
 *
 * <p>Entry point: {@link HeapspanConfiguration}, one constant for each key.
 * {@link SerializerOptions} is the part of it that travels to executors with each shuffle.
 *
 * <p>Invariants: a wrong value, or a key that nobody knows, keeps the application from starting. Everything is immutable. The table in
 * {@code docs/spark.md} is made from the keys, and a test compares it. The whole adapter logs under one name, {@link HeapspanLog#NAME}.
 *
 * <p>Tests: {@code HeapspanConfigurationTest}, {@code SettingsIT}.
 */
@NullMarked
package org.heapspan.spark.settings;

import org.jspecify.annotations.NullMarked;
