package org.heapspan.giraph;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.edge.ConfigurableOutEdges;
import org.apache.giraph.edge.Edge;
import org.apache.giraph.edge.MutableEdge;
import org.apache.giraph.edge.MutableOutEdges;
import org.apache.giraph.edge.ReusableEdge;
import org.apache.giraph.edge.ReuseObjectsOutEdges;
import org.apache.giraph.utils.ExtendedDataInput;
import org.apache.giraph.utils.ExtendedDataOutput;
import org.apache.giraph.utils.Trimmable;
import org.apache.giraph.utils.WritableUtils;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.jspecify.annotations.Nullable;

/**
 * Edges of a vertex in the second heap (TeraHeap section 5). Set it as {@code giraph.outEdgesClass} ({@code docs/giraph.md}). Parallel edges are
 * allowed, and edges keep their order.
 *
 * <p>The edges of many vertices are in one page. When a program changes edges, the edges of that vertex are copied to the Java heap. They go
 * into another page when the vertex has been computed. As with Giraph's {@code ByteArrayEdges}, an iterator returns the same object again and
 * again.
 *
 * <p>Not thread-safe, as all edges of Giraph.
 *
 * @param <I> class of vertex ids
 * @param <E> class of edge values
 */
public final class SecondHeapEdges<I extends WritableComparable<?>, E extends Writable>
        extends ConfigurableOutEdges<I, E> implements MutableOutEdges<I, E>, ReuseObjectsOutEdges<I, E>, Trimmable {
    private static final byte[] NONE = {};

    /** The page that has the edges, or null if they are on the Java heap. */
    private @Nullable EdgePage page;

    /** The edges on the Java heap; can be longer than they are. */
    private byte[] own = NONE;

    /** Of iterations that began since the edges were changed in another way; null if there are none. */
    private @Nullable Changes changes;

    /** Of the edges in the page; 0 on the Java heap. */
    private int offset;

    private int length;
    private int count;

    /** What iterations that change edges know of each other. They end when the vertex has other {@code changes}. */
    private final class Changes {
        /** How often an iteration has changed the places of edges. */
        private int number;

        /** The iteration that has left a gap between the edges; null if there is none. */
        private @Nullable Changer gap;

        /** The iteration whose latest edge the program may have changed without {@code setValue}; null if there is none. */
        private @Nullable Changer latest;
    }

    /** For Giraph, which makes one for each vertex. */
    public SecondHeapEdges() {}

    @Override
    public void initialize(Iterable<Edge<I, E>> edges) {
        ExtendedDataOutput output = getConf().createExtendedDataOutput();
        int edgeCount = 0;
        for (Edge<I, E> edge : edges) {
            write(output, edge);
            edgeCount++;
        }
        replace(output, edgeCount);
    }

    @Override
    public void initialize(int capacity) {
        // The bytes of an edge are not known.
        initialize();
    }

    @Override
    public void initialize() {
        keep(NONE, 0);
        count = 0;
        changes = null;
    }

    @Override
    public int size() {
        return count;
    }

    // ---------------------------------------------------------------- reading

    @Override
    public Iterator<Edge<I, E>> iterator() {
        settle();
        return count == 0 ? Collections.emptyIterator() : new Reader();
    }

    private final class Reader implements Iterator<Edge<I, E>> {
        private final ExtendedDataInput input = input(offset);
        private final ReusableEdge<I, E> edge = getConf().createReusableEdge();

        @Override
        public boolean hasNext() {
            return !input.endOfInput();
        }

        @Override
        public Edge<I, E> next() {
            if (!hasNext()) {
                throw new NoSuchElementException("all edges have been read");
            }
            read(input, edge);
            return edge;
        }
    }

    private byte[] bytes() {
        return page == null ? own : page.bytes();
    }

    /** Reads from there to the end of the edges. */
    private ExtendedDataInput input(int from) {
        ImmutableClassesGiraphConfiguration<I, Writable, E> configuration = getConf();
        int end = offset + length;
        // One of Giraph's two inputs takes the end for the length.
        return configuration.createExtendedDataInput(
                bytes(), from, configuration.getUseUnsafeSerialization() ? end : end - from);
    }

    private void read(ExtendedDataInput input, Edge<I, E> edge) {
        try {
            WritableUtils.readEdge(input, edge);
        } catch (IOException e) {
            throw new UncheckedIOException("an edge of " + count + " could not be read", e);
        }
    }

    private static void write(ExtendedDataOutput output, Edge<?, ?> edge) {
        try {
            edge.getTargetVertexId().write(output);
            edge.getValue().write(output);
        } catch (IOException e) {
            throw new UncheckedIOException("an edge could not be written: " + edge, e);
        }
    }

    // ---------------------------------------------------------------- changing

    @Override
    public void add(Edge<I, E> edge) {
        settle();
        if (page != null) {
            own();
        }
        ExtendedDataOutput output = own.length == 0
                ? getConf().createExtendedDataOutput()
                : getConf().createExtendedDataOutput(own, length);
        write(output, edge);
        replace(output, count + 1);
    }

    @Override
    public void remove(I targetVertexId) {
        Iterator<MutableEdge<I, E>> edges = mutableIterator();
        while (edges.hasNext()) {
            if (edges.next().getTargetVertexId().equals(targetVertexId)) {
                edges.remove();
            }
        }
    }

    /**
     * Edges can be read meanwhile. An iteration ends when edges are added, removed or get other lengths in another way, as with Giraph's {@code
     * ByteArrayEdges}.
     *
     * <p>A program can also change the value that an edge returns. As with {@code ByteArrayEdges}, such a change counts if it is made before the
     * iteration is asked for more edges, and before another one begins.
     */
    @Override
    public Iterator<MutableEdge<I, E>> mutableIterator() {
        settle();
        if (changes == null) {
            changes = new Changes();
        }
        return new Changer(changes);
    }

    /** Copies the edges, so that they can be changed; who is reading them reads the bytes from before. */
    private void own() {
        keep(Arrays.copyOfRange(bytes(), offset, offset + length), length);
    }

    /** All edges change. */
    private void replace(ExtendedDataOutput output, int newCount) {
        keep(output.getByteArray(), output.getPos());
        count = newCount;
        changes = null;
    }

    /** The edges are these bytes of the Java heap from now on. */
    private void keep(byte[] bytes, int newLength) {
        if (page != null) {
            page.release(length);
            page = null;
        }
        own = bytes;
        offset = 0;
        length = newLength;
    }

    /** Stores the latest edge of an iteration, if the program has changed it, and puts the edges next to each other. */
    private void settle() {
        Changes known = changes;
        if (known != null) {
            if (known.latest != null) {
                known.latest.store();
            }
            closeGap(known);
        }
    }

    private void closeGap(Changes known) {
        Changer gap = known.gap;
        if (gap != null) {
            gap.close();
            known.gap = null;
        }
    }

    /**
     * Changes edges. The first change copies them. From then on there is a gap behind the latest edge, so that changing all of them costs no more
     * than copying them once.
     */
    private final class Changer implements Iterator<MutableEdge<I, E>>, MutableEdge<I, E> {
        private final ReusableEdge<I, E> edge = getConf().createReusableEdge();
        private final ExtendedDataOutput output = getConf().createExtendedDataOutput();
        private final Changes all;

        /** Of the changes for which the places below are right. */
        private int number;

        /** Where the latest edge begins and ends, and where the next one begins. */
        private int begin;

        private int end;
        private int next;

        Changer(Changes all) {
            this.all = all;
            number = all.number;
        }

        private boolean hasEnded() {
            return all != changes || number != all.number;
        }

        @Override
        public boolean hasNext() {
            if (all.latest == this) {
                storeLatest();
            }
            return !hasEnded() && next < length;
        }

        @Override
        public MutableEdge<I, E> next() {
            if (!hasNext()) {
                throw new NoSuchElementException("all edges have been read, or they were changed otherwise");
            }
            storeLatest();
            ExtendedDataInput input = input(offset + next);
            read(input, edge);
            int behind = input.getPos() - offset;
            begin = end;
            end = begin + behind - next;
            if (begin != next) {
                System.arraycopy(own, next, own, begin, end - begin);
            }
            next = behind;
            all.latest = this;
            return this;
        }

        /** From now on, the latest edge of any iteration is changed by {@code setValue} only. */
        private void storeLatest() {
            Changer latest = all.latest;
            if (latest != null) {
                latest.store();
                all.latest = null;
            }
        }

        /** Stores the latest edge, if it is another one than before: a program can change the value that it has got. */
        private void store() {
            if (begin == end || hasEnded()) {
                return;
            }
            write();
            if (!Arrays.equals(output.getByteArray(), 0, output.getPos(), bytes(), offset + begin, offset + end)) {
                put(output.getByteArray(), output.getPos());
            }
        }

        private void write() {
            output.reset();
            SecondHeapEdges.write(output, edge);
        }

        @Override
        public I getTargetVertexId() {
            return edge.getTargetVertexId();
        }

        @Override
        public E getValue() {
            return edge.getValue();
        }

        @Override
        public void setValue(E value) {
            edge.setValue(value);
            if (begin < end) {
                write();
                put(output.getByteArray(), output.getPos());
            }
        }

        @Override
        public void remove() {
            if (begin == end) {
                throw new IllegalStateException("no edge to remove; call next before");
            }
            put(NONE, 0);
            count--;
        }

        /** Puts other bytes in the place of the latest edge. */
        private void put(byte[] bytes, int newBytes) {
            if (all.latest != this) {
                storeLatest();
            }
            if (hasEnded()) {
                throw new IllegalStateException(
                        "the edge cannot be changed, because the edges of the vertex were changed"
                                + " otherwise since it was read; begin another iteration");
            }
            if (all.gap != this) {
                closeGap(all);
                own();
                all.gap = this;
            }
            if (begin + newBytes > next) {
                widen(begin + newBytes - next);
            }
            System.arraycopy(bytes, 0, own, begin, newBytes);
            if (newBytes != end - begin) {
                number = ++all.number;
            }
            end = begin + newBytes;
        }

        private void widen(int least) {
            int more = Math.max(least, Math.min(length / 2, Integer.MAX_VALUE - 8 - length));
            byte[] wider = Arrays.copyOf(own, length + more);
            System.arraycopy(own, next, wider, next + more, length - next);
            keep(wider, wider.length);
            next += more;
        }

        /** Closes the gap. */
        private void close() {
            System.arraycopy(own, next, own, end, length - next);
            length -= next - end;
            next = end;
        }
    }

    // ---------------------------------------------------------------- storing

    /** Puts the edges into a page. Giraph calls it when a vertex has been computed. */
    @Override
    public void trim() {
        settle();
        changes = null;
        EdgePage before = page;
        if (length == 0) {
            keep(NONE, 0);
            return;
        }
        WorkerHeap heap = WorkerHeap.of(getConf());
        heap.retryFailedMove();
        if (before == null || before.isToBeLeft(heap.isLoading())) {
            EdgePlace place = heap.store(bytes(), offset, length);
            int storedBytes = length;
            keep(NONE, 0);
            page = place.page();
            offset = place.offset();
            length = storedBytes;
        }
    }

    @Override
    public void write(DataOutput output) throws IOException {
        settle();
        output.writeInt(length);
        output.write(bytes(), offset, length);
        output.writeInt(count);
    }

    @Override
    public void readFields(DataInput input) throws IOException {
        byte[] bytes = new byte[input.readInt()];
        input.readFully(bytes);
        keep(bytes, bytes.length);
        count = input.readInt();
        changes = null;
        if (count > 0 && WorkerHeap.of(getConf()).isLoading()) {
            trim();
        }
    }
}
