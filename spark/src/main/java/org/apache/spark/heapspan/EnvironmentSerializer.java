package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerManager;
import scala.reflect.ClassTag$;

/**
 * The serializer that a driver or executor uses for everything but closures, where {@code spark.serializer} comes too late: Spark makes
 * it with its {@link SparkEnv}, which exists before plug-ins are loaded.
 *
 * <p>Relies on {@code core/.../SparkEnv.scala} (field {@code serializer}) and {@code core/.../serializer/SerializerManager.scala} (field
 * {@code defaultSerializer}) of Spark 4.3, the only places that keep it. Both are final fields of instances, which reflection
 * may write up to JDK 25 without a word, and from 26 on with a warning (JEP 500).
 */
public final class EnvironmentSerializer {
    private EnvironmentSerializer() {}

    /**
     * Puts serializers in the place of the one that the environment was made with. Call it before anything was serialized.
     *
     * @param environment of this JVM
     * @param serializer what everybody who asks the environment gets from now on
     * @param ofBlocks what writes and reads blocks from now on; each must read what the other writes
     * @throws ReflectiveOperationException if this version of Spark keeps it elsewhere, or this JVM does not let final fields be
     *     written; then nothing has changed
     */
    public static void replace(SparkEnv environment, Serializer serializer, Serializer ofBlocks)
            throws ReflectiveOperationException {
        SerializerManager manager = environment.serializerManager();
        Field ofManager = WritableField.of(SerializerManager.class, "defaultSerializer", Serializer.class);
        Field ofEnvironment = WritableField.of(SparkEnv.class, "serializer", Serializer.class);
        Object before = ofManager.get(manager);
        ofManager.set(manager, ofBlocks);
        try {
            ofEnvironment.set(environment, serializer);
        } catch (IllegalAccessException e) {
            ofManager.set(manager, before);
            throw e;
        }
        if (environment.serializer() != serializer) {
            ofManager.set(manager, before);
            throw new NoSuchFieldException("SparkEnv.serializer() does not return the field of that name");
        }
    }

    /**
     * What writes and reads blocks.
     *
     * @param environment of this JVM
     * @return the serializer
     */
    public static Serializer ofBlocks(SparkEnv environment) {
        return environment.serializerManager().getSerializer(ClassTag$.MODULE$.Any(), false);
    }
}
