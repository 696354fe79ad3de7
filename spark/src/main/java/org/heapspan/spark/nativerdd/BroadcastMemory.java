package org.heapspan.spark.nativerdd;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.heapspan.StoredBlocks;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgram;

/**
 * The values of broadcasts outside of the heap: one copy in a JVM, and what programs have decoded of it, for as long as Spark has the broadcast.
 * Thread-safe.
 */
final class BroadcastMemory {
    private static final Map<Long, Value> VALUES = new ConcurrentHashMap<>();

    private BroadcastMemory() {}

    /**
     * A value that is here.
     *
     * @param broadcast the number that Spark gave it
     * @param memory its bytes
     */
    private record Value(long broadcast, NativeBatch memory) {}

    /** The value, to be closed by the caller. */
    static NativeBatch valueOf(SentBytes sent) {
        NativeBatch[] result = new NativeBatch[1];
        VALUES.compute(sent.number(), (number, known) -> {
            Value value = known == null
                    ? new Value(
                            sent.broadcast().id(),
                            NativeBatch.copyOf(sent.broadcast().value()))
                    : known;
            result[0] = value.memory().retain();
            return value;
        });
        return result[0];
    }

    /** Frees what Spark has removed. Tasks that use a value keep it. */
    static void sweep() {
        VALUES.forEach((number, value) -> {
            if (!StoredBlocks.hasBroadcast(value.broadcast())) {
                free(number);
            }
        });
    }

    /** Frees all, at the end of an application: the next one of this JVM may have other broadcasts of the same numbers. */
    static void forgetAll() {
        VALUES.keySet().forEach(BroadcastMemory::free);
    }

    private static void free(Long number) {
        Value value = VALUES.remove(number);
        if (value != null) {
            value.memory().close();
            // What programs have decoded of it.
            NativeProgram.forgetBroadcast(number);
        }
    }
}
