package org.heapspan.spark;

/** Hands {@code spark.heapspan.direct} on to the library, which reads a system property when it is first used in a JVM. */
final class DirectEngineSwitch {
    private static final String PROPERTY = "heapspan.direct";

    private DirectEngineSwitch() {}

    static void apply(HeapspanConfiguration configuration) {
        if (configuration.isGiven(HeapspanConfiguration.DIRECT) && System.getProperty(PROPERTY) == null) {
            System.setProperty(PROPERTY, configuration.get(HeapspanConfiguration.DIRECT));
        }
    }
}
