package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.heapspan.nativerdd.NativeBatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.reflect.ClassTag$;

/** What is left outside of the heap when an application ends whose executor is in the JVM of its driver. */
@Tag("once")
final class BatchLoanTest {
    private static final int KEPT_BYTES = 1000;
    private static final int BROADCAST_BYTES = 200;

    private final long openBytes = NativeBatch.openBytes();

    /** Of a driver that has the value. */
    private static final class Known extends Broadcast<byte[]> {
        private static final long serialVersionUID = 1L;

        Known() {
            super(5, ClassTag$.MODULE$.apply(byte[].class));
        }

        @Override
        public byte[] getValue() {
            return new byte[BROADCAST_BYTES];
        }

        @Override
        public void doUnpersist(boolean blocking) {}

        @Override
        public void doDestroy(boolean blocking) {}
    }

    private static void endApplication() {
        new CrashedStages().onApplicationEnd(new SparkListenerApplicationEnd(0, Option.empty()));
    }

    private static RddBatch kept() {
        try (RddBatch batch = new RddBatch(NativeBatch.copyOf(new byte[KEPT_BYTES]))) {
            RddBatch kept = batch.keptIn(3, 4);
            BatchLoan.keep(kept);
            return kept;
        }
    }

    @Test
    void theEndOfTheApplicationFreesBatchesAndBroadcasts() {
        kept();
        kept();
        BroadcastMemory.valueOf(new SentBytes(-1, new Known())).close();
        assertThat(NativeBatch.openBytes() - openBytes).isEqualTo(2 * KEPT_BYTES + BROADCAST_BYTES);
        endApplication();
        assertThat(NativeBatch.openBytes()).isEqualTo(openBytes);
        endApplication();
        assertThat(NativeBatch.openBytes()).isEqualTo(openBytes);
    }

    @Test
    void aTaskKeepsWhatItHasOnLoan() {
        RddBatch loan = BatchLoan.take(kept());
        endApplication();
        assertThat(NativeBatch.openBytes() - openBytes).isEqualTo(KEPT_BYTES);
        BatchLoan.giveBack(loan);
        assertThat(NativeBatch.openBytes()).isEqualTo(openBytes);
    }
}
