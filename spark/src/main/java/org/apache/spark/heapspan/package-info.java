/**
 * What Heapspan's adapter needs of Spark that is no public interface of it ({@code private[spark]}, private fields), all in one place:
 * a new version of Spark is checked here. Each class names the file of Spark that it relies on.
 */
@NullMarked
package org.apache.spark.heapspan;

import org.jspecify.annotations.NullMarked;
