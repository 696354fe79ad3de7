package org.heapspan.tests.spark.jobs;

import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/** Objects of a class that is on the class path of the driver only. */
final class MissingClasses {
    static final String NAME = "org.heapspan.tests.spark.extra.Reading";

    private MissingClasses() {}

    static String run(JavaSparkContext context) {
        Broadcast<Object> reading = context.broadcast(reading());
        return FaultyJob.outcome(() -> context.parallelize(List.of(1, 2), 2)
                .map(number -> String.valueOf(reading.value()))
                .collect());
    }

    private static Object reading() {
        try {
            return Class.forName(NAME, true, Thread.currentThread().getContextClassLoader())
                    .getConstructor(String.class, int.class)
                    .newInstance("sensor", 3);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
