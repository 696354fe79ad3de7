package org.apache.spark.heapspan;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For tests in which Spark estimates sizes: has its estimator changed before. Other tests of this JVM ask the changed one, and a class that was loaded as it is
 * cannot be changed any more.
 */
public final class EstimatorFirst implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) throws ReflectiveOperationException {
        SizeEstimatorClass.open();
    }
}
