package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.broadcast.BroadcastFactory;
import org.apache.spark.broadcast.BroadcastManager;
import scala.reflect.ClassTag;

/**
 * Knows in the driver whether the serializer of the environment is asked to write a broadcast. Broadcasts are Spark's own, made by
 * {@code TorrentBroadcastFactory}; this only notes when. No key of Spark chooses another factory or another serializer for them.
 *
 * <p>Relies on {@code core/.../broadcast/BroadcastManager.scala} (field {@code broadcastFactory}, which is not final) and on
 * {@code TorrentBroadcast.scala} of Spark 4.3, which asks the environment's serializer for one instance, on the thread that makes the broadcast.
 */
public final class BroadcastWatch implements BroadcastFactory {
    /** Set while a thread makes a broadcast, until an instance was asked for: whatever the value asks for itself is not Spark's business. */
    private static final ThreadLocal<Boolean> BEGUN = new ThreadLocal<>();

    private final BroadcastFactory factory;

    BroadcastWatch(BroadcastFactory factory) {
        this.factory = factory;
    }

    /**
     * Begins to watch.
     *
     * @param environment of the driver, before it has made a broadcast
     * @throws ReflectiveOperationException if this version of Spark keeps its factory elsewhere, or this JVM does not let it be written; then
     *     nothing has changed
     */
    public static void install(SparkEnv environment) throws ReflectiveOperationException {
        BroadcastManager manager = environment.broadcastManager();
        Field field = WritableField.of(BroadcastManager.class, "broadcastFactory", BroadcastFactory.class);
        field.set(manager, new BroadcastWatch((BroadcastFactory) field.get(manager)));
    }

    /**
     * Whether an instance that this thread asks for now is to write a broadcast; true once for each.
     *
     * @return true if it is
     */
    public static boolean isNextForBroadcast() {
        boolean begun = BEGUN.get() != null;
        BEGUN.remove();
        return begun;
    }

    @Override
    public <T> Broadcast<T> newBroadcast(T value, boolean isLocal, long id, boolean serializedOnly, ClassTag<T> tag) {
        BEGUN.set(true);
        try {
            return factory.newBroadcast(value, isLocal, id, serializedOnly, tag);
        } finally {
            BEGUN.remove();
        }
    }

    @Override
    public void initialize(boolean isDriver, SparkConf conf) {
        factory.initialize(isDriver, conf);
    }

    @Override
    public void unbroadcast(long id, boolean removeFromDriver, boolean blocking) {
        factory.unbroadcast(id, removeFromDriver, blocking);
    }

    @Override
    public void stop() {
        factory.stop();
    }
}
