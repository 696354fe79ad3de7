/**
 * Reports of JVMs to the driver, and their sums on the driver.
 *
 * <p>Entry points: {@link ExecutorReport}, sent once by each executor: its JVM, and which {@link Part parts} of Heapspan are on;
 * {@link SerializationReport}, sent every few seconds: the counts since the last one. {@link SerializationTotals} adds them up for the tab.
 *
 * <p>Invariants: reports are records, sent by Java serialization, so versions with more or fewer components understand each other. A missing component
 * is unknown, and not an error. A lost report is not sent again. Totals are bounded in executors, stages, classes and failures.
 *
 * <p>Tests: {@code SerializationTotalsTest}, {@code RateHistoryTest}, {@code TabIT}.
 */
@NullMarked
package org.heapspan.spark.report;

import org.jspecify.annotations.NullMarked;
