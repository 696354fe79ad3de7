package org.heapspan.spark;

import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.heapspan.EnvironmentSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.heapspan.spark.settings.JarPlace;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Makes {@link HeapspanSerializer} the serializer of an application, from the driver side of the plug-in. Executors start later, and get {@code
 * spark.serializer} with the driver's configuration. The driver's own serializer was created before plug-ins were loaded. It is replaced before
 * it has serialized anything. Driver and executors must have the same serializer, so neither is changed unless both can be.
 */
final class SerializerInstallation {
    static final String NAME = "serializer";

    private static final String KEY = "spark.serializer";
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    private SerializerInstallation() {}

    /** Installs the serializer, if the settings allow it and it works; never fails. */
    static Part install(HeapspanConfiguration configuration, SparkConf conf, SparkEnv environment) {
        try {
            return attempt(configuration, conf, environment);
        } catch (Exception | LinkageError e) {
            LOG.debug("Heapspan's serializer failed to start", e);
            return off(e.toString());
        }
    }

    private static Part attempt(HeapspanConfiguration configuration, SparkConf conf, SparkEnv environment) {
        String own = HeapspanSerializer.class.getName();
        String chosen = conf.get(KEY, "");
        if (chosen.equals(own)) {
            return Part.on(NAME, "by " + KEY);
        }
        if (!configuration.get(HeapspanConfiguration.SERIALIZER)) {
            return Part.switchedOff(NAME, HeapspanConfiguration.SERIALIZER);
        }
        if (!chosen.isEmpty()) {
            return off(KEY + "=" + chosen + " is set; remove it to use Heapspan's");
        }
        if (!JarPlace.IS_CLASS_PATH) {
            return off(JarPlace.CAME_WITH_APPLICATION);
        }
        HeapspanSerializer serializer = new HeapspanSerializer(conf);
        String failure = failureOf(serializer);
        if (failure != null) {
            return off("its self-test failed: " + failure);
        }
        try {
            EnvironmentSerializer.replace(environment, serializer, serializer);
        } catch (ReflectiveOperationException e) {
            return off("the driver's serializer cannot be replaced here (" + e + "); set " + KEY + "=" + own
                    + " in the configuration of the application");
        }
        conf.set(KEY, own);
        return Part.on(NAME, "");
    }

    private static Part off(String why) {
        LOG.warn("Heapspan's serializer is off, Spark's own is used instead: {}", why);
        return Part.off(NAME, why);
    }

    private static @Nullable String failureOf(HeapspanSerializer serializer) {
        SerializerInstance instance = serializer.newInstance();
        ClassTag<Object> any = ClassTag$.MODULE$.Object();
        // No class for which code would be generated: many applications need none, and the test runs in each.
        Object sample = List.of("Heapspan", 1L, 0.5);
        Object copy = instance.deserialize(instance.serialize(sample, any), any);
        if (!sample.equals(copy)) {
            return sample + " arrived as " + copy;
        }
        // Either answer will do, but in this Spark there must be one: each shuffle of RDDs asks.
        boolean ignored = serializer.supportsRelocationOfSerializedObjects();
        return null;
    }
}
