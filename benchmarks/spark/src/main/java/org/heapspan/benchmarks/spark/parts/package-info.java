/**
 * Single parts of Spark in one JVM, with Heapspan and without: blocks of shuffles and of serialized caches, and estimates of sizes.
 *
 * <p>Entry points: the classes {@code *Report}, one for each {@code ./dev bench}. Each keeps what it has measured in a class {@code *Figures},
 * which writes the table.
 *
 * <p>Invariants: tables are made of the file of figures alone, so that they can be written again without measuring.
 *
 * <p>Tests: {@code PublishedSparkFiguresTest} compares the pages with the files of figures.
 */
package org.heapspan.benchmarks.spark.parts;
