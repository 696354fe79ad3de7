package org.apache.spark.heapspan;

import java.nio.file.Path;
import org.apache.spark.SparkConf;

/** Settings of an application in the JVM of a test: one thread, no user interface, files in a folder of the test. */
public final class LocalConf {
    private LocalConf() {}

    /** New settings, which a test may change. */
    public static SparkConf of(Path folder, String name) {
        return new SparkConf(false)
                .setMaster("local[1]")
                .setAppName(name)
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.local.dir", folder.toString());
    }
}
