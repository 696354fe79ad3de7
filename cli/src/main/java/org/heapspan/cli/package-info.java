/**
 * The command {@code heapspan}: {@code doctor}, {@code inspect}, {@code bench}, and Spark's programs with Heapspan's settings.
 *
 * <p>Entry points: {@link Main}; {@link Command} chooses the class of a command: {@link Doctor}, {@link Inspect}, {@link Bench}, {@link SparkCommand}.
 * {@link Help} has the text of the usage.
 *
 * <p>Invariants: only this package prints and exits. The command line is checked before anything is done. Exit codes are in {@link Command}.
 *
 * <p>Tests: {@code MainTest}, {@code DoctorTest}, {@code SparkCommandTest}.
 */
@NullMarked
package org.heapspan.cli;

import org.jspecify.annotations.NullMarked;
