/**
 * The settings of an application: the keys {@code spark.heapspan.*} with their values, and the jar of Heapspan in this JVM.
 *
 * <p>Entry point: {@link HeapspanConfiguration}, one constant for each key.
 * {@link SerializerOptions} is the part of it that Spark sends to executors with each shuffle.
 *
 * <p>Invariants: with an invalid value or an unknown key the application does not start. Everything is immutable. A test
 * compares the table in {@code docs/spark.md} with the keys. The whole adapter logs under one name, {@link HeapspanLog#NAME}.
 *
 * <p>Tests: {@code HeapspanConfigurationTest}, {@code SettingsIT}.
 */
@NullMarked
package org.heapspan.spark.settings;

import org.jspecify.annotations.NullMarked;
