package org.heapspan.giraph;

import org.apache.giraph.bsp.CentralizedServiceWorker;
import org.apache.giraph.comm.messages.InMemoryMessageStoreFactory;
import org.apache.giraph.comm.messages.MessageEncodeAndStoreType;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.factories.MessageValueFactory;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;

/**
 * Keeps messages in the second heap (TeraHeap section 5). Set it as {@code giraph.messageStoreFactoryClass} ({@code docs/giraph.md}).
 *
 * <p>Messages that a combiner combines stay on the Java heap: each vertex has one of them at most.
 *
 * @param <I> class of vertex ids
 * @param <M> class of messages
 */
public final class SecondHeapMessageStoreFactory<I extends WritableComparable<?>, M extends Writable>
        extends InMemoryMessageStoreFactory<I, M> {
    /** For Giraph, which makes one for each worker. */
    public SecondHeapMessageStoreFactory() {}

    @Override
    protected MessageStore<I, M> newStoreWithoutCombiner(
            Class<M> messageClass,
            MessageValueFactory<M> messageValueFactory,
            MessageEncodeAndStoreType encodeAndStoreType) {
        long superstep = partitionInfo instanceof CentralizedServiceWorker<?, ?, ?> worker
                ? worker.getSuperstep()
                : WorkerHeap.INPUT_SUPERSTEP;
        WorkerHeap heap = WorkerHeap.of(conf);
        return new SecondHeapMessageStore<>(
                heap,
                WorkerHeap.messages(superstep),
                heap::moveOnHint,
                partitionInfo,
                new PartitionStores<>(conf, partitionInfo, messageClass, messageValueFactory));
    }
}
