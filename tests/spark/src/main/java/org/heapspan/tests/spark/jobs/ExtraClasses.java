package org.heapspan.tests.spark.jobs;

import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/** Objects of classes that are not on the class path of the executors, or are others there. */
final class ExtraClasses {
    static final String MISSING = "org.heapspan.tests.spark.extra.Reading";
    static final String DIFFERING = "org.heapspan.tests.spark.extra.Gauge";

    private ExtraClasses() {}

    /** The driver makes an object of the class, and executors get it. */
    static String toExecutors(JavaSparkContext context, String className) {
        Broadcast<Object> object = context.broadcast(object(className));
        return FaultyJob.outcome(() -> context.parallelize(List.of(1, 2), 2)
                .map(number -> String.valueOf(object.value()))
                .collect());
    }

    /** Executors make objects of the class, and the driver gets them. */
    static String toDriver(JavaSparkContext context, String className) {
        return FaultyJob.outcome(
                () -> context.parallelize(List.of(1, 2), 2).map(number -> object(className)).collect().stream()
                        .map(String::valueOf)
                        .toList());
    }

    private static Object object(String className) {
        try {
            return Class.forName(className, true, Thread.currentThread().getContextClassLoader())
                    .getConstructor(String.class, int.class)
                    .newInstance("sensor", 3);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
