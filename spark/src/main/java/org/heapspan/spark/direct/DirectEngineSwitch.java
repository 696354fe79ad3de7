package org.heapspan.spark.direct;

import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands {@code spark.heapspan.direct} on to the library, which reads a system property when it is first used in a JVM. */
public final class DirectEngineSwitch {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private static final String PROPERTY = "heapspan.direct";

    /** What this class has set, for an earlier application of this JVM. Another value is the user's. */
    private static @Nullable String applied;

    private DirectEngineSwitch() {}

    public static synchronized void apply(HeapspanConfiguration configuration) {
        if (!configuration.isGiven(HeapspanConfiguration.DIRECT)) {
            return;
        }
        String wish = configuration.get(HeapspanConfiguration.DIRECT);
        String present = System.getProperty(PROPERTY);
        if (wish.equals(present) || present != null && !present.equals(applied)) {
            return;
        }
        System.setProperty(PROPERTY, wish);
        applied = wish;
        if (present != null) {
            LOG.warn(
                    "Heapspan: {}={} after an application of this JVM had {}. The library reads this once: if it has"
                            + " done so, start another JVM",
                    HeapspanConfiguration.DIRECT,
                    wish,
                    present);
        }
    }
}
