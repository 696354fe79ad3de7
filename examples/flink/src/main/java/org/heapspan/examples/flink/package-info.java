/**
 * A job for Flink that uses Heapspan ({@code docs/flink.md}).
 *
 * <p>Entry point: {@link Example10Orders}.
 *
 * <p>Invariant: the only code for Heapspan is an annotation of the classes of records.
 *
 * <p>Tests: {@code Example10OrdersTest}.
 */
package org.heapspan.examples.flink;
