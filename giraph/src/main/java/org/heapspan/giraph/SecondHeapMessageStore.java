package org.heapspan.giraph;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Collections;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.comm.messages.PartitionSplitInfo;
import org.apache.giraph.utils.ByteArrayVertexIdMessages;
import org.apache.giraph.utils.VertexIdMessages;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.heapspan.HeapspanException;
import org.heapspan.h2.Label;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one superstep, which have one label. While they come, they gather in pages for each partition. Full pages move to the second
 * heap while others fill, and the rest at the end of the superstep. Pages are freed when their partition has been computed, so their regions
 * become free as a whole.
 *
 * <p>Thread-safe, as Giraph needs it: each partition is computed by one thread.
 */
final class SecondHeapMessageStore<I extends WritableComparable<?>, M extends Writable> implements MessageStore<I, M> {
    private final WorkerHeap heap;
    private final Label label;
    private final Consumer<Label> mover;
    private final PartitionSplitInfo<I> partitionInfo;
    private final PartitionStores<I, M> stores;
    private final PageMoves moves;
    private final ConcurrentMap<Integer, PartitionMessages<I, M>> partitions = new ConcurrentHashMap<>();

    /** Why messages are missing, or null. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * Begins without messages.
     *
     * @param mover moves all that is tagged with a label
     */
    SecondHeapMessageStore(
            WorkerHeap heap,
            Label label,
            Consumer<Label> mover,
            PartitionSplitInfo<I> partitionInfo,
            PartitionStores<I, M> stores) {
        this.heap = heap;
        this.label = label;
        this.mover = mover;
        this.partitionInfo = partitionInfo;
        this.stores = stores;
        moves = new PageMoves(mover, label);
    }

    private PartitionMessages<I, M> messagesTo(int partition) {
        return partitions.computeIfAbsent(partition, number -> new PartitionMessages<>(heap, label, stores, number));
    }

    /** The messages to the partition of a vertex, by vertex; null if there are none. */
    private @Nullable MessageStore<I, M> sortedOrNull(I vertexId) {
        PartitionMessages<I, M> messages = partitions.get(partitionInfo.getPartitionId(vertexId));
        return messages == null ? null : messages.sorted();
    }

    @Override
    public boolean isPointerListEncoding() {
        return false;
    }

    // ---------------------------------------------------------------- while messages come

    /**
     * Whatever fails here, {@link #finalizeStore} tells of it: a thread of Giraph's asynchronous store would end silently, and the job would wait for
     * it.
     */
    @Override
    public void addPartitionMessages(int partitionId, VertexIdMessages<I, M> messages) {
        if (failure.get() != null) {
            return;
        }
        int fullBytes;
        try {
            fullBytes = messagesTo(partitionId).add(messages);
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            return;
        }
        try {
            // Outside of the lock of the partition, so that others can add messages to it while pages are written.
            moves.sealed(fullBytes);
        } catch (HeapspanException | OutOfMemoryError e) {
            // The messages are there, and their pages stay on the Java heap. finalizeStore tries again.
            return;
        }
    }

    @Override
    public void addMessage(I vertexId, M message) {
        ByteArrayVertexIdMessages<I, M> batch = stores.newBatch();
        batch.add(vertexId, message);
        addPartitionMessages(partitionInfo.getPartitionId(vertexId), batch);
    }

    /** All messages have come; Giraph calls it before the superstep that reads them. */
    @Override
    public void finalizeStore() {
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException(
                    "messages are missing, as some could not be added: " + cause
                            + "; if memory was used up, give the workers more of it",
                    cause);
        }
        partitions.values().forEach(PartitionMessages::seal);
        heap.retryFailedMove();
        heap.collectAgain();
        mover.accept(label);
    }

    // ---------------------------------------------------------------- when a partition is computed

    /** Giraph calls it before it computes a vertex. */
    @Override
    public Iterable<M> getVertexMessages(I vertexId) {
        heap.retryFailedMove();
        MessageStore<I, M> sorted = sortedOrNull(vertexId);
        return sorted == null ? Collections.emptyList() : sorted.getVertexMessages(vertexId);
    }

    @Override
    public boolean hasMessagesForVertex(I vertexId) {
        MessageStore<I, M> sorted = sortedOrNull(vertexId);
        return sorted != null && sorted.hasMessagesForVertex(vertexId);
    }

    @Override
    public void clearVertexMessages(I vertexId) {
        MessageStore<I, M> sorted = sortedOrNull(vertexId);
        if (sorted != null) {
            sorted.clearVertexMessages(vertexId);
        }
    }

    @Override
    public boolean hasMessagesForPartition(int partitionId) {
        PartitionMessages<I, M> messages = partitions.get(partitionId);
        return messages != null && !messages.isEmpty();
    }

    @Override
    public Iterable<I> getPartitionDestinationVertices(int partitionId) {
        PartitionMessages<I, M> messages = partitions.get(partitionId);
        return messages == null
                ? Collections.emptyList()
                : messages.sorted().getPartitionDestinationVertices(partitionId);
    }

    @Override
    public void clearPartition(int partitionId) {
        PartitionMessages<I, M> messages = partitions.remove(partitionId);
        if (messages != null) {
            messages.close();
        }
    }

    @Override
    public void clearAll() {
        partitions.keySet().forEach(this::clearPartition);
    }

    // ---------------------------------------------------------------- checkpoints

    /** In the format of Giraph's own store. */
    @Override
    public void writePartition(DataOutput out, int partitionId) throws IOException {
        messagesTo(partitionId).write(out);
    }

    @Override
    public void readFieldsForPartition(DataInput in, int partitionId) throws IOException {
        messagesTo(partitionId).read(in);
    }
}
