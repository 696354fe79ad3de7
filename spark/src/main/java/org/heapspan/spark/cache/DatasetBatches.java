package org.heapspan.spark.cache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Knows the records that a cached Dataset consists of: batches of rows as columns. Spark's batches, and those of formats that plug-ins bring,
 * have one interface ({@code sql/core/.../columnar/CachedBatchSerializer.scala} of Spark 4.3). It is known by its name, because executors may have no SQL.
 */
final class DatasetBatches {
    private static final String INTERFACE = "org.apache.spark.sql.columnar.CachedBatch";

    private DatasetBatches() {}

    /** Whether records of this class are such batches; null stands for no class. */
    static boolean are(@Nullable Class<?> recordClass) {
        return recordClass != null
                && (recordClass.getName().equals(INTERFACE)
                        || are(recordClass.getSuperclass())
                        || Arrays.stream(recordClass.getInterfaces()).anyMatch(DatasetBatches::are));
    }
}
