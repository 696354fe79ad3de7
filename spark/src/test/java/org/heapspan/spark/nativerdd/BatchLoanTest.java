package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

    /** Asked of the batch itself: how much is open in this JVM also changes when the collector frees what other tests have dropped. */
    private static boolean isFree(NativeBatch memory) {
        try {
            return memory.address() == 0;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    void theEndOfTheApplicationFreesBatchesAndBroadcasts() {
        NativeBatch broadcast = BroadcastMemory.valueOf(new SentBytes(-1, new Known()));
        broadcast.close();
        List<NativeBatch> held = List.of(kept().memory(), kept().memory(), broadcast);
        assertThat(held).noneMatch(BatchLoanTest::isFree);
        endApplication();
        assertThat(held).allMatch(BatchLoanTest::isFree);
        endApplication();
    }

    @Test
    void aTaskKeepsWhatItHasOnLoan() {
        RddBatch loan = BatchLoan.take(kept());
        endApplication();
        assertThat(isFree(loan.memory())).isFalse();
        BatchLoan.giveBack(loan);
        assertThat(isFree(loan.memory())).isTrue();
    }
}
