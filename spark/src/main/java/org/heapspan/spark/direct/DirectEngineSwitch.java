package org.heapspan.spark.direct;

import org.heapspan.spark.settings.HeapspanConfiguration;

/** Hands {@code spark.heapspan.direct} on to the library, which reads a system property when it is first used in a JVM. */
public final class DirectEngineSwitch {
    private static final String PROPERTY = "heapspan.direct";

    private DirectEngineSwitch() {}

    public static void apply(HeapspanConfiguration configuration) {
        if (configuration.isGiven(HeapspanConfiguration.DIRECT) && System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, configuration.get(HeapspanConfiguration.DIRECT));
        }
    }
}
