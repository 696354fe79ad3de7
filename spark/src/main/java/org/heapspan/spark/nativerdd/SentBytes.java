package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkContext;
import org.apache.spark.broadcast.Broadcast;
import scala.reflect.ClassTag$;

/**
 * Bytes that Spark sends to each executor once.
 *
 * @param number unlike that of any other in a JVM: Spark counts its broadcasts anew for each application, and a JVM may have several in turn
 * @param broadcast of Spark
 */
record SentBytes(long number, Broadcast<byte[]> broadcast) implements Serializable {
    private static final AtomicLong LAST_NUMBER = new AtomicLong();

    static SentBytes send(SparkContext context, byte[] bytes) {
        return new SentBytes(
                LAST_NUMBER.incrementAndGet(), context.broadcast(bytes, ClassTag$.MODULE$.apply(byte[].class)));
    }
}
