/**
 * The data sets of the codec benchmark: plain classes with public fields and no-argument constructors, so that every
 * peer can use its fastest path, and one {@link org.heapspan.benchmarks.data.DataSet} per shape.
 *
 * <p>Not {@code @NullMarked}: the fields are filled by the peers, which is just what null analysis cannot follow.
 */
package org.heapspan.benchmarks.data;
