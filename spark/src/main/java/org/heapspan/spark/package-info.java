/**
 * Adapter for Apache Spark: a plug-in that turns everything on, and a serializer of object images.
 *
 * <p>What reaches into Spark further than its public interfaces is in {@code org.apache.spark.heapspan}.
 */
@NullMarked
package org.heapspan.spark;

import org.jspecify.annotations.NullMarked;
