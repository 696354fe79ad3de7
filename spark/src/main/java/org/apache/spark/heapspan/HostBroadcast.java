package org.apache.spark.heapspan;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.broadcast.TorrentBroadcast;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;

/**
 * A broadcast whose bytes are fetched once for all executors of a host, where {@link HostBytes} are in use. Whatever goes wrong there, Spark reads
 * the broadcast as it reads others.
 *
 * @param <T> type of the value
 */
public final class HostBroadcast<T> extends TorrentBroadcast<T> {
    private static final long serialVersionUID = 1L;

    /** Null where Spark reads broadcasts by itself. */
    private static final AtomicReference<@Nullable HostBroadcastReader> READER = new AtomicReference<>();

    private final ClassTag<T> tag;

    /** Whether the value was asked for. Each task has its own copy of a broadcast, without the value. */
    private transient boolean asked;

    HostBroadcast(T value, long id, boolean serializedOnly, ClassTag<T> tag) {
        super(value, id, serializedOnly, tag);
        this.tag = tag;
    }

    /**
     * Lets broadcasts of this JVM be read through bytes that executors of its host share.
     *
     * @throws ReflectiveOperationException if this version of Spark keeps broadcasts in another way; then nothing has changed
     */
    public static void readThrough(HostBytes bytes) throws ReflectiveOperationException {
        READER.set(new HostBroadcastReader(TorrentParts.find(), bytes));
    }

    /** Lets Spark read broadcasts by itself again. */
    public static void readAlone() {
        READER.set(null);
    }

    @Override
    public synchronized T getValue() {
        if (!asked) {
            asked = true;
            HostBroadcastReader reader = READER.get();
            if (reader != null) {
                // Puts the value where Spark looks for it first.
                reader.read(this, tag);
            }
        }
        return super.getValue();
    }
}
