package org.heapspan.spark.nativerdd;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.heapspan.StoredBlocks;
import org.heapspan.nativerdd.NativeBatch;

/** The values of broadcasts outside of the heap: one copy in a JVM, for as long as Spark has the broadcast. Thread-safe. */
final class BroadcastMemory {
    private static final Map<Long, NativeBatch> VALUES = new ConcurrentHashMap<>();

    private BroadcastMemory() {}

    /** The value, to be closed by the caller. */
    static NativeBatch valueOf(Broadcast<byte[]> broadcast) {
        NativeBatch[] result = new NativeBatch[1];
        VALUES.compute(broadcast.id(), (number, known) -> {
            NativeBatch value = known == null ? NativeBatch.copyOf(broadcast.value()) : known;
            result[0] = value.retain();
            return value;
        });
        return result[0];
    }

    /** Frees what Spark has removed. Tasks that use a value keep it. */
    static void sweep() {
        for (Long number : List.copyOf(VALUES.keySet())) {
            if (!StoredBlocks.hasBroadcast(number)) {
                NativeBatch value = VALUES.remove(number);
                if (value != null) {
                    value.close();
                }
            }
        }
    }
}
