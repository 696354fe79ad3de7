package org.apache.spark.heapspan;

import org.apache.spark.SparkEnv;

/**
 * The name by which Spark knows the host of an executor, that of its web pages. {@code PluginContext.hostname()} would be the public way, but
 * fails with a NullPointerException in the executors of Spark 4.3: it asks for the address at which the JVM takes calls, and
 * executors take none.
 *
 * <p>Relies on {@code core/.../storage/BlockManager.scala} ({@code blockManagerId}), which is set before plug-ins are loaded.
 */
public final class ExecutorHost {
    private ExecutorHost() {}

    /**
     * Returns the name.
     *
     * @param environment of this JVM
     * @return name or address of the host
     */
    public static String of(SparkEnv environment) {
        return environment.blockManager().blockManagerId().host();
    }
}
