package org.heapspan.spark.cache;

/**
 * Knows the records that a cached Dataset consists of: batches of rows as columns. Spark's batches, and those of formats that plug-ins bring,
 * have one interface ({@code sql/api/.../columnar/CachedBatch.scala} of Spark 4.3). It is known by its name, because executors may have no SQL.
 */
final class DatasetBatches {
    private static final String INTERFACE = "org.apache.spark.sql.columnar.CachedBatch";

    private static final ClassValue<Boolean> KNOWN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            if (type.getName().equals(INTERFACE)) {
                return true;
            }
            for (Class<?> each : type.getInterfaces()) {
                if (are(each)) {
                    return true;
                }
            }
            Class<?> superclass = type.getSuperclass();
            return superclass != null && are(superclass);
        }
    };

    private DatasetBatches() {}

    static boolean are(Class<?> recordClass) {
        return KNOWN.get(recordClass);
    }
}
