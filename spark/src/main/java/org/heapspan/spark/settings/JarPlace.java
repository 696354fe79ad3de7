package org.heapspan.spark.settings;

import org.apache.spark.SparkEnv;

/**
 * Whether {@code heapspan-spark.jar} is on the class path of this JVM, or came with the application ({@code --jars}, {@code spark.jars}). Then it is
 * loaded by a loader of its own, which Spark's serializers and connections do not know, and later than an executor needs it.
 */
public final class JarPlace {
    public static final boolean IS_CLASS_PATH = JarPlace.class.getClassLoader() == SparkEnv.class.getClassLoader();

    /** What to tell the user where it is not. */
    public static final String CAME_WITH_APPLICATION =
            "heapspan-spark.jar came with the application (--jars, spark.jars), which is too late for executors; put"
                    + " it on the class path of driver and executors with spark.driver.extraClassPath and"
                    + " spark.executor.extraClassPath";

    private JarPlace() {}
}
