package org.heapspan.giraph;

import java.util.List;
import org.apache.giraph.comm.messages.InMemoryMessageStoreFactory;
import org.apache.giraph.comm.messages.MessageEncodeAndStoreType;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.comm.messages.PartitionSplitInfo;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.factories.MessageValueFactory;
import org.apache.giraph.partition.Partition;
import org.apache.giraph.utils.ByteArrayVertexIdMessages;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;

/**
 * Makes Giraph's own stores on the Java heap, each for the messages of one partition, and what brings messages there.
 *
 * @param <I> class of vertex ids
 * @param <M> class of messages
 */
final class PartitionStores<I extends WritableComparable<?>, M extends Writable>
        extends InMemoryMessageStoreFactory<I, M> {
    private final Class<M> messageClass;
    private final MessageValueFactory<M> messageValueFactory;

    PartitionStores(
            ImmutableClassesGiraphConfiguration<I, ?, ?> configuration,
            PartitionSplitInfo<I> partitionInfo,
            Class<M> messageClass,
            MessageValueFactory<M> messageValueFactory) {
        initialize(partitionInfo, configuration);
        this.messageClass = messageClass;
        this.messageValueFactory = messageValueFactory;
    }

    /** An empty store for one partition. Giraph's stores take memory for all partitions that they know of. */
    MessageStore<I, M> newStore(int partition) {
        return new PartitionStores<>(
                        conf, new OnePartition<>(partitionInfo, partition), messageClass, messageValueFactory)
                .newStoreWithoutCombiner(
                        messageClass, messageValueFactory, MessageEncodeAndStoreType.BYTEARRAY_PER_PARTITION);
    }

    /** Empty, for messages in the form in which workers send them. */
    ByteArrayVertexIdMessages<I, M> newBatch() {
        ByteArrayVertexIdMessages<I, M> batch = new ByteArrayVertexIdMessages<>(messageValueFactory);
        batch.setConf(conf);
        batch.initialize();
        return batch;
    }

    ImmutableClassesGiraphConfiguration<I, ?, ?> configuration() {
        return conf;
    }

    private record OnePartition<I extends WritableComparable<?>>(PartitionSplitInfo<I> all, int partition)
            implements PartitionSplitInfo<I> {
        @Override
        public int getPartitionId(I vertexId) {
            return all.getPartitionId(vertexId);
        }

        @Override
        public Iterable<Integer> getPartitionIds() {
            return List.of(partition);
        }

        @Override
        public long getPartitionVertexCount(Integer partitionId) {
            return all.getPartitionVertexCount(partitionId);
        }

        @Override
        public void startIteration() {
            throw new UnsupportedOperationException("a store of messages visits no vertices");
        }

        @Override
        @SuppressWarnings("rawtypes") // As Giraph declares it.
        public Partition getNextPartition() {
            throw new UnsupportedOperationException("a store of messages visits no vertices");
        }

        @Override
        @SuppressWarnings("rawtypes") // As Giraph declares it.
        public void putPartition(Partition returned) {
            throw new UnsupportedOperationException("a store of messages visits no vertices");
        }
    }
}
