package org.heapspan.tests.conformance;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;

/**
 * Kryo as Apache Spark sets it up: {@code KryoSerializer} with its default settings, Spark's own version of Kryo and Chill's
 * serializers. By name, because its process has the class path of Spark.
 */
final class SparkKryoCodec implements Codec {

    private final Object serializer;
    private final Object classTag;
    private final Method serialize;
    private final Method deserialize;

    SparkKryoCodec() throws ReflectiveOperationException {
        Class<?> configuration = Class.forName("org.apache.spark.SparkConf");
        Object settings = configuration.getConstructor(boolean.class).newInstance(false);
        Class<?> kryo = Class.forName("org.apache.spark.serializer.KryoSerializer");
        Object factory = kryo.getConstructor(configuration).newInstance(settings);
        kryo.getMethod("setDefaultClassLoader", ClassLoader.class).invoke(factory, EvolvingClasses.loader());
        serializer = kryo.getMethod("newInstance").invoke(factory);
        Class<?> tag = Class.forName("scala.reflect.ClassTag");
        classTag = tag.getMethod("apply", Class.class).invoke(null, Object.class);
        Class<?> type = Class.forName("org.apache.spark.serializer.SerializerInstance");
        serialize = type.getMethod("serialize", Object.class, tag);
        deserialize = type.getMethod("deserialize", ByteBuffer.class, tag);
    }

    @Override
    public String name() {
        return "spark-kryo";
    }

    @Override
    public byte[] encode(Object root, TransientMode mode) throws Exception {
        ByteBuffer bytes = (ByteBuffer) Call.of(serialize, serializer, root, classTag);
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        return array;
    }

    @Override
    public Object decode(byte[] bytes, TransientMode mode, Trust trust, ClassLoader loader) throws Exception {
        return Call.of(deserialize, serializer, ByteBuffer.wrap(bytes), classTag);
    }
}
