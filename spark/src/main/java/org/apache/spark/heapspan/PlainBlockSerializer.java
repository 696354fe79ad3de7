package org.apache.spark.heapspan;

import java.io.Serializable;
import java.lang.reflect.Field;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.serializer.SerializerManager;
import scala.reflect.ClassTag$;

/**
 * In the place of the Kryo that Spark uses for blocks of primitives, strings and their arrays, whatever {@code spark.serializer} is. What it writes are
 * the streams of another serializer, behind the head of a {@link PlainBlock}. It reads these, and what Spark's Kryo writes.
 *
 * <p>Spark's Kryo reads both too, because of that head. So each JVM can put it in or not, at any time and without asking the others: every JVM reads the
 * blocks of every other.
 *
 * <p>Relies on {@code core/.../serializer/SerializerManager.scala} of Spark 4.3 (field {@code kryoSerializer}, a final field of an instance, see {@link
 * EnvironmentSerializer}). The field has the type {@link KryoSerializer}.
 */
public final class PlainBlockSerializer extends KryoSerializer {
    private static final long serialVersionUID = 1L;

    /** A {@link Serializer} and a {@link PartitioningSerializer}. */
    private final Serializable blocks;

    private final byte[] head;

    private PlainBlockSerializer(SparkConf conf, Serializable blocks) {
        super(conf);
        this.blocks = blocks;
        head = PlainBlock.head(conf.getBoolean("spark.kryo.referenceTracking", true));
    }

    /** Whether nobody has set up Spark's Kryo, and this class may take its place. A Kryo that needs registered classes could not read what it writes. */
    public static boolean isWanted(SparkConf conf) {
        return !conf.contains("spark.kryo.registrator")
                && !conf.contains("spark.kryo.classesToRegister")
                && !conf.getBoolean("spark.kryo.registrationRequired", false);
    }

    /**
     * Puts it in, if it is not in already.
     *
     * @param environment of this JVM, whose serializer for blocks is one of ours
     * @throws ReflectiveOperationException if this version of Spark keeps its Kryo elsewhere, or this JVM does not let final fields be written; then nothing has
     *     changed
     */
    public static void install(SparkEnv environment) throws ReflectiveOperationException {
        install(environment.serializerManager(), environment.conf());
    }

    /** The same for what writes and reads the blocks of an environment. */
    static void install(SerializerManager manager, SparkConf conf) throws ReflectiveOperationException {
        Field field = WritableField.of(SerializerManager.class, "kryoSerializer", KryoSerializer.class);
        Object before = field.get(manager);
        if (before instanceof PlainBlockSerializer) {
            return;
        }
        Serializer blocks = manager.getSerializer(ClassTag$.MODULE$.Any(), false);
        if (!(blocks instanceof PartitioningSerializer && blocks instanceof Serializable travelling)) {
            throw new NoSuchFieldException("the serializer of blocks is a "
                    + blocks.getClass().getName() + ", and not one that writes blocks of plain values");
        }
        PlainBlockSerializer replacement = new PlainBlockSerializer(conf, travelling);
        field.set(manager, replacement);
        if (manager.getSerializer(ClassTag$.MODULE$.Int(), true) != replacement) {
            field.set(manager, before);
            throw new NoSuchFieldException(
                    "SerializerManager.getSerializer() does not return its field kryoSerializer");
        }
    }

    @Override
    public SerializerInstance newInstance() {
        return new PlainBlockInstance(head, ((PartitioningSerializer) blocks).ofPlainBlocks(), super::newInstance);
    }

    /** Only a whole block can be read, from its head on. */
    @Override
    public boolean supportsRelocationOfSerializedObjects() {
        return false;
    }
}
