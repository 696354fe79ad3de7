/**
 * The applications that the tests submit to Spark. They know nothing of Heapspan, unless a class says so: whether it is there is a matter of
 * settings.
 *
 * <p>Entry points: the classes {@code *Application}, each with a method {@code main}, whose first argument is the file for its {@link Results}.
 * The others are jobs of these applications, and what they look at meanwhile, such as {@link ShuffleTotals}.
 *
 * <p>Invariants: an application gives the same results in each run, with Heapspan and without. It writes results and judges nothing: the tests
 * compare. What a job throws is a result too.
 *
 * <p>Tests: the classes {@code *IT} of {@code org.heapspan.tests.spark}. The application {@code NameApplication} belongs to {@code NameIT}, with a
 * few exceptions: {@code FaultsIT} and {@code SettingsIT} use several.
 */
package org.heapspan.tests.spark.jobs;
