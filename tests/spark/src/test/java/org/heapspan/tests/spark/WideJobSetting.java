package org.heapspan.tests.spark;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** What else may be set when the wide job runs with the plug-in. */
enum WideJobSetting {
    TWO_TASKS_PER_EXECUTOR("spark.master", "local-cluster[2,2,1024]"),
    ENCRYPTION(
            "spark.io.encryption.enabled",
            "true",
            "spark.authenticate",
            "true",
            "spark.authenticate.secret",
            "known to the tests",
            "spark.network.crypto.enabled",
            "true",
            "spark.heapspan.h2.dir",
            WideJobSetting.SECOND_HEAP),
    SPECULATION(
            "spark.speculation",
            "true",
            "spark.speculation.interval",
            "50ms",
            "spark.speculation.multiplier",
            "1.1",
            "spark.speculation.quantile",
            "0.5",
            "spark.speculation.minTaskRuntime",
            "20ms"),
    DYNAMIC_ALLOCATION(
            "spark.dynamicAllocation.enabled",
            "true",
            "spark.dynamicAllocation.shuffleTracking.enabled",
            "true",
            "spark.dynamicAllocation.shuffleTracking.timeout",
            "2s",
            "spark.dynamicAllocation.minExecutors",
            "1",
            "spark.dynamicAllocation.maxExecutors",
            "2",
            "spark.dynamicAllocation.executorIdleTimeout",
            "1s",
            "spark.decommission.enabled",
            "true",
            "spark.storage.decommission.enabled",
            "true",
            "spark.storage.decommission.rddBlocks.enabled",
            "true",
            "spark.storage.decommission.shuffleBlocks.enabled",
            "true",
            "spark.storage.decommission.replicationReattemptInterval",
            "1s",
            "spark.heapspan.h2.dir",
            WideJobSetting.SECOND_HEAP),
    REGISTRATION_REQUIRED(
            "spark.kryo.registrationRequired",
            "true",
            "spark.kryo.classesToRegister",
            "org.heapspan.workloads.wide.Datasets$Lamp"),
    FAIR_POOLS("spark.scheduler.mode", "FAIR"),
    SMALL_SECOND_HEAP(
            "spark.heapspan.h2.datasets",
            "true",
            "spark.heapspan.h2.dir",
            WideJobSetting.SECOND_HEAP,
            "spark.heapspan.h2.capacity",
            "2m",
            "spark.heapspan.h2.regionSize",
            "1m",
            "spark.heapspan.h2.keptFraction",
            "0"),
    LARGE_SECOND_HEAP("spark.heapspan.h2.datasets", "true", "spark.heapspan.h2.dir", WideJobSetting.SECOND_HEAP),
    /** The second heap may take more than its device has. */
    FULL_DEVICE(
            "spark.heapspan.h2.datasets",
            "true",
            "spark.heapspan.h2.dir",
            WideJobSetting.SMALL_DEVICE,
            "spark.heapspan.h2.capacity",
            "64m",
            "spark.heapspan.h2.regionSize",
            "1m"),
    RAW_ENCODING("spark.heapspan.encoding", "raw", "spark.heapspan.h2.dir", WideJobSetting.SECOND_HEAP),
    PORTABLE_ENGINE("spark.heapspan.direct", "false", "spark.heapspan.h2.dir", WideJobSetting.SECOND_HEAP),
    ZGC("spark.executor.extraJavaOptions", "-XX:+UseZGC", "spark.heapspan.h2.dir", WideJobSetting.SECOND_HEAP),
    COMPACT_HEADERS(
            "spark.executor.extraJavaOptions",
            "-XX:+UseCompactObjectHeaders",
            "spark.heapspan.encoding",
            "raw",
            "spark.heapspan.h2.dir",
            WideJobSetting.SECOND_HEAP),
    /** Several at once, for the short form. */
    SEVERAL(
            "spark.heapspan.h2.datasets",
            "true",
            "spark.master",
            "local-cluster[2,2,1024]",
            "spark.speculation",
            "true",
            "spark.scheduler.mode",
            "FAIR",
            "spark.heapspan.encoding",
            "raw",
            "spark.executor.extraJavaOptions",
            "-XX:+UseCompactObjectHeaders",
            "spark.heapspan.h2.dir",
            WideJobSetting.SECOND_HEAP,
            "spark.heapspan.h2.capacity",
            "4m",
            "spark.heapspan.h2.regionSize",
            "1m");

    /** Stands for a folder of the run. */
    static final String SECOND_HEAP = "{second heap}";

    /** Stands for a folder on a device of its own. */
    static final String SMALL_DEVICE = "{small device}";

    @SuppressWarnings("ImmutableEnumChecker") // List.of makes what cannot be changed.
    private final List<String> settings;

    WideJobSetting(String... settings) {
        this.settings = List.of(settings);
    }

    boolean needsDevice() {
        return settings.contains(SMALL_DEVICE);
    }

    /** Whether Spark may start copies of slow tasks. */
    private boolean allowsCopies() {
        return settings.contains("spark.speculation");
    }

    /** Those that Spark does not have under this setting. */
    Set<String> featuresThatSparkRefuses() {
        return this == DYNAMIC_ALLOCATION ? Set.of("barrier stage", "stage with a profile of resources") : Set.of();
    }

    void applyTo(SparkRun run, String secondHeap, String device) throws IOException {
        if (allowsCopies()) {
            run.onTwoHosts();
        }
        for (int i = 0; i < settings.size(); i += 2) {
            String value = settings.get(i + 1);
            run.with(
                    settings.get(i),
                    value.equals(SECOND_HEAP) ? secondHeap : value.equals(SMALL_DEVICE) ? device : value);
        }
    }
}
