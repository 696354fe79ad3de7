/**
 * The tab "Heapspan" of Spark's web UI.
 *
 * <p>Entry point: {@link SerializationOverview}, which the driver creates, and to which it passes all reports; {@link SerializationTab} makes the page and its JSON,
 * {@link PartsSection} and {@link SecondHeapSection} are sections of it.
 *
 * <p>Invariants: without a web UI nothing is kept. A page shows the state at one moment ({@code SerializationTotals.Snapshot}). {@link Html} escapes
 * all text. The script {@code tab.js} beside the classes refers to elements by their ids and changes with them.
 *
 * <p>Tests: {@code PartsSectionTest}, {@code HtmlTest}, {@code AmountsTest}, {@code TabIT}.
 */
@NullMarked
package org.heapspan.spark.tab;

import org.jspecify.annotations.NullMarked;
