package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.broadcast.BroadcastFactory;
import org.apache.spark.broadcast.BroadcastManager;
import org.apache.spark.broadcast.TorrentBroadcastFactory;
import scala.reflect.ClassTag;

/**
 * Makes the broadcasts of a driver {@link HostBroadcast}s. Only executors treat them in another way than Spark's own.
 *
 * <p>Relies on {@code core/.../broadcast/BroadcastManager.scala} (field {@code broadcastFactory}) of Spark 4.3, and on {@link TorrentParts}.
 */
public final class HostBroadcastFactory extends TorrentBroadcastFactory {
    HostBroadcastFactory() {}

    /**
     * Begins to make them.
     *
     * @param environment of the driver, before it has made a broadcast
     * @throws ReflectiveOperationException if this version of Spark makes broadcasts in another way; then nothing has changed
     */
    public static void install(SparkEnv environment) throws ReflectiveOperationException {
        TorrentParts.find();
        BroadcastManager manager = environment.broadcastManager();
        Field field = WritableField.of(BroadcastManager.class, "broadcastFactory", BroadcastFactory.class);
        Object before = field.get(manager);
        if (before == null || before.getClass() != TorrentBroadcastFactory.class) {
            throw new IllegalAccessException(
                    "broadcasts are made by " + before + ", expected a " + TorrentBroadcastFactory.class.getName());
        }
        field.set(manager, new HostBroadcastFactory());
    }

    @Override
    public <T> Broadcast<T> newBroadcast(T value, boolean isLocal, long id, boolean serializedOnly, ClassTag<T> tag) {
        return isLocal
                ? super.newBroadcast(value, isLocal, id, serializedOnly, tag)
                : new HostBroadcast<>(value, id, serializedOnly, tag);
    }
}
