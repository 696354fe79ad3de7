package org.heapspan.spark;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.heapspan.EnvironmentSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Makes {@link HeapspanSerializer} the serializer of an application, from the driver's plug-in. Executors get it the ordinary
 * way: they are started later, with the driver's configuration, in which {@code spark.serializer} then is. The driver's own
 * has been made before plug-ins were loaded and is replaced; nothing was serialized with it by then. Both sides must have
 * the same one, so that neither is touched unless both can be.
 */
enum SerializerInstallation {
    /** It was put in. */
    INSTALLED("serializer on"),
    /** The user had put it in. */
    CHOSEN_BY_USER("serializer on, by " + SerializerInstallation.KEY),
    /** It does not work here, or is not wanted. */
    OFF("serializer off");

    private static final String KEY = "spark.serializer";
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanPlugin.class);

    private final String text;

    SerializerInstallation(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }

    static SerializerInstallation install(HeapspanConfiguration configuration, SparkConf conf, SparkEnv environment) {
        String own = HeapspanSerializer.class.getName();
        String chosen = conf.get(KEY, "");
        if (chosen.equals(own)) {
            return CHOSEN_BY_USER;
        }
        if (!configuration.get(HeapspanConfiguration.SERIALIZER)) {
            return OFF;
        }
        if (!chosen.isEmpty()) {
            return off(KEY + "=" + chosen + " is set; remove it to use Heapspan's");
        }
        if (HeapspanSerializer.class.getClassLoader() != SparkEnv.class.getClassLoader()) {
            return off(
                    "heapspan-spark.jar came with the application (--jars, spark.jars), too late for the executors, which make their"
                            + " serializer before they fetch such jars; put it on the class path of all JVMs by"
                            + " spark.driver.extraClassPath and spark.executor.extraClassPath");
        }
        HeapspanSerializer serializer = new HeapspanSerializer(conf);
        String failure = failureOf(serializer.newInstance());
        if (failure != null) {
            return off("it failed its test of itself: " + failure);
        }
        try {
            EnvironmentSerializer.replace(environment, serializer);
        } catch (ReflectiveOperationException e) {
            return off("the driver's serializer cannot be replaced here (" + e + "); set " + KEY + "=" + own
                    + " in the configuration of the application");
        }
        conf.set(KEY, own);
        return INSTALLED;
    }

    private static SerializerInstallation off(String why) {
        LOG.warn("Heapspan's serializer is off, Spark's own works in its place: {}", why);
        return OFF;
    }

    private static @Nullable String failureOf(SerializerInstance instance) {
        ClassTag<Object> any = ClassTag$.MODULE$.Object();
        Object sample = List.of("Heapspan", 1L, new ExecutorReport.Fact("serializer", "on trial", ""));
        Object copy = instance.deserialize(instance.serialize(sample, any), any);
        return sample.equals(copy) ? null : sample + " arrived as " + copy;
    }
}
