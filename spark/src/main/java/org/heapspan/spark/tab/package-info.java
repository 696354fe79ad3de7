/**
 * The tab "Heapspan" of Spark's web UI.
 *
 * <p>Entry point: {@link SerializationOverview}, which the driver opens and hands all reports; {@link SerializationTab} makes the page and its JSON,
 * {@link PartsSection} and {@link SecondHeapSection} are sections of it.
 *
 * <p>Invariants: an application without a web UI keeps nothing. A page shows one moment ({@code SerializationTotals.Snapshot}). Whatever comes from elsewhere
 * is escaped: {@link Html} knows no other way. The script {@code tab.js} beside the classes refers to elements by their ids and changes with them.
 *
 * <p>Tests: {@code PartsSectionTest}, {@code HtmlTest}, {@code AmountsTest}, {@code TabIT}.
 */
@NullMarked
package org.heapspan.spark.tab;

import org.jspecify.annotations.NullMarked;
