package org.apache.spark.heapspan;

import org.apache.spark.util.Utils;

/**
 * The name of the host of this JVM as Spark knows it ({@code SPARK_LOCAL_HOSTNAME}, {@code SPARK_LOCAL_IP}). {@code PluginContext.hostname()} would be
 * the public way, but fails with a NullPointerException in the executors of Spark 4.3: it asks for the address at which the JVM takes
 * calls, and executors take none.
 *
 * <p>Relies on {@code core/.../util/Utils.scala} ({@code localHostName}). What the block manager says of its host comes too late in local mode,
 * where plug-ins are loaded before it is ready.
 */
public final class ExecutorHost {
    private ExecutorHost() {}

    /**
     * Returns the name.
     *
     * @return name or address of the host
     */
    public static String name() {
        return Utils.localHostName();
    }
}
