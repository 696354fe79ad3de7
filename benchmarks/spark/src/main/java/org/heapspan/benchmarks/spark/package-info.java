/**
 * Whole Spark applications with different serializers and storage levels: what runs them, measures them, and writes tables and plots of it.
 *
 * <p>Entry points: the classes {@code *Report}, one for each {@code ./dev bench} on Spark, such as {@link SparkReport}, {@link CacheReport} and
 * {@link NativeReport}. A {@link SparkApplication} is one run of a job with one {@link Contender}; {@link SparkFigures} keeps what all runs took.
 *
 * <p>Invariants: contenders run in turns, so that changes of the machine meet all alike. All contenders of a job must find the same results.
 * Tables are made of the file of figures alone, so that they can be written again without measuring.
 *
 * <p>Tests: {@code SparkFiguresTest}, {@code NativeTablesTest}, {@code SampleOwnerTest}; {@code PublishedSparkFiguresTest} compares the pages with
 * the files of figures.
 */
package org.heapspan.benchmarks.spark;
