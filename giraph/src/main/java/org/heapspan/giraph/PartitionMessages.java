package org.heapspan.giraph;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.giraph.comm.messages.MessageStore;
import org.apache.giraph.utils.ByteArrayVertexIdMessages;
import org.apache.giraph.utils.ExtendedDataInput;
import org.apache.giraph.utils.ExtendedDataOutput;
import org.apache.giraph.utils.VertexIdMessageIterator;
import org.apache.giraph.utils.VertexIdMessages;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.heapspan.h2.H2Handle;
import org.heapspan.h2.Label;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one superstep to the vertices of one partition. They gather in pages in the order in which they come. When the partition is
 * computed, they are sorted by vertex on the Java heap, as Giraph does, and the pages are freed.
 *
 * <p>Thread-safe.
 */
final class PartitionMessages<I extends WritableComparable<?>, M extends Writable> {
    private static final int PAGE_BYTES = 64 << 10;
    private static final int MOST_KEPT_BYTES = 1 << 20;

    private final WorkerHeap heap;
    private final Label label;
    private final PartitionStores<I, M> stores;
    private final int partition;

    // Guarded by this.
    private @Nullable ExtendedDataOutput open;
    private final List<H2Handle<byte[]>> pages = new ArrayList<>();
    private @Nullable MessageStore<I, M> sorted;

    PartitionMessages(WorkerHeap heap, Label label, PartitionStores<I, M> stores, int partition) {
        this.heap = heap;
        this.label = label;
        this.stores = stores;
        this.partition = partition;
    }

    /**
     * Adds messages.
     *
     * @return the bytes of the page that has become full by them, and was tagged; 0 if none has
     */
    synchronized int add(VertexIdMessages<I, M> messages) {
        if (sorted != null) {
            sorted.addPartitionMessages(partition, messages);
            return 0;
        }
        if (open == null) {
            open = stores.configuration().createExtendedDataOutput();
        }
        try {
            batchOf(messages).write(open);
        } catch (IOException e) {
            throw new UncheckedIOException("messages to partition " + partition + " could not be written", e);
        }
        int bytes = open.getPos();
        if (bytes < PAGE_BYTES) {
            return 0;
        }
        tag(open);
        // Its array is used again: the next page of the partition will be about as long, but not after a long message.
        if (open.getByteArray().length > MOST_KEPT_BYTES) {
            open = null;
        } else {
            open.reset();
        }
        return bytes;
    }

    private void tag(ExtendedDataOutput full) {
        pages.add(heap.tag(full.toByteArray(), label));
    }

    private ByteArrayVertexIdMessages<I, M> batchOf(VertexIdMessages<I, M> messages) {
        if (messages instanceof ByteArrayVertexIdMessages<I, M> batch) {
            return batch;
        }
        ByteArrayVertexIdMessages<I, M> batch = stores.newBatch();
        VertexIdMessageIterator<I, M> each = messages.getVertexIdMessageIterator();
        while (each.hasNext()) {
            each.next();
            batch.add(each.getCurrentVertexId(), each.getCurrentMessage());
        }
        return batch;
    }

    /** Tags what has gathered; when no more messages come. */
    synchronized void seal() {
        ExtendedDataOutput last = open;
        if (last != null && last.getPos() > 0) {
            tag(last);
        }
        open = null;
    }

    synchronized boolean isEmpty() {
        return sorted == null ? open == null && pages.isEmpty() : !sorted.hasMessagesForPartition(partition);
    }

    /** The messages by vertex. From the first call on they are on the Java heap. */
    synchronized MessageStore<I, M> sorted() {
        MessageStore<I, M> store = sorted;
        if (store == null) {
            store = sort();
            sorted = store;
            close();
        }
        return store;
    }

    private MessageStore<I, M> sort() {
        MessageStore<I, M> store = stores.newStore(partition);
        for (H2Handle<byte[]> page : pages) {
            byte[] bytes = page.get();
            sort(bytes, bytes.length, store);
        }
        ExtendedDataOutput last = open;
        if (last != null) {
            sort(last.getByteArray(), last.getPos(), store);
        }
        return store;
    }

    private void sort(byte[] bytes, int length, MessageStore<I, M> store) {
        ExtendedDataInput input = stores.configuration().createExtendedDataInput(bytes, 0, length);
        ByteArrayVertexIdMessages<I, M> batch = stores.newBatch();
        try {
            while (!input.endOfInput()) {
                batch.readFields(input);
                store.addPartitionMessages(partition, batch);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("messages to partition " + partition + " could not be read", e);
        }
    }

    /** For a checkpoint. The messages stay where they are. */
    synchronized void write(DataOutput output) throws IOException {
        MessageStore<I, M> store = sorted;
        (store == null ? sort() : store).writePartition(output, partition);
    }

    /** From a checkpoint. */
    synchronized void read(DataInput input) throws IOException {
        MessageStore<I, M> store = stores.newStore(partition);
        store.readFieldsForPartition(input, partition);
        close();
        sorted = store;
    }

    /** Frees the pages. */
    synchronized void close() {
        pages.forEach(H2Handle::close);
        pages.clear();
        open = null;
    }
}
