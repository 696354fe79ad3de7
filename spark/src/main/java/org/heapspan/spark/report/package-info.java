/**
 * What JVMs tell the driver of themselves, and what the driver adds up.
 *
 * <p>Entry points: {@link ExecutorReport}, once from each executor: what it runs on and which {@link Part parts} of Heapspan work there;
 * {@link SerializationReport}, every few seconds: what came since the last one. {@link SerializationTotals} adds them up for the tab.
 *
 * <p>Invariants: reports are records sent by Java serialization, so that versions with more or fewer components understand one another; what a report lacks
 * is unknown, and no error. A report that is lost is not sent again. Totals are bounded in executors, stages, classes and failures.
 *
 * <p>Tests: {@code SerializationTotalsTest}, {@code RateHistoryTest}, {@code TabIT}.
 */
@NullMarked
package org.heapspan.spark.report;

import org.jspecify.annotations.NullMarked;
