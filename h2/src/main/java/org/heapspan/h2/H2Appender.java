package org.heapspan.h2;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Writes a sequence to the second heap element by element, of which the Java heap holds one open group and the buffers that wait to be written.
 * An element is encoded at once and may be changed and used again afterwards.
 *
 * <pre>{@code
 * try (H2Appender<Row> appender = heap.appender(label)) {
 *   appender.addAll(rows);
 *   return appender.finish();
 * } catch (SecondHeapException full) {
 *   return elsewhere(concat(appender.takeBack(), rows));
 * }
 * }</pre>
 *
 * <p>Not thread-safe; many may append to one label at the same time, each its own sequence. Closed without {@link #finish}, or unreachable, it
 * leaves nothing behind.
 *
 * @param <E> class of the elements
 */
public final class H2Appender<E> implements AutoCloseable {
    private final SecondHeap heap;
    private final LabelSpace space;
    private final Progress progress;
    private final Runnable cleanable;
    private final GroupSink sink;
    private boolean ended;
    private long groupedElements;

    /** After which nothing can be appended. */
    private @Nullable SecondHeapException failure;

    /** An element that {@link #addAll} has drawn and that could not be encoded. */
    private @Nullable List<@Nullable Object> refused;

    /** What is to be taken away again when nobody finishes it. */
    private static final class Progress implements Runnable {
        private final SecondHeap heap;
        private final LabelSpace space;
        private final RegionWriter writer;
        private final Residence residence;
        private boolean done;

        Progress(SecondHeap heap, LabelSpace space, RegionWriter writer, Residence residence) {
            this.heap = heap;
            this.space = space;
            this.writer = writer;
            this.residence = residence;
        }

        /** Whether it is the first to ask. */
        synchronized boolean end() {
            boolean first = !done;
            done = true;
            return first;
        }

        @Override
        public void run() {
            if (end()) {
                writer.awaitQuietly();
                residence.release();
                writer.close();
                heap.leave(space);
            }
        }
    }

    H2Appender(SecondHeap heap, LabelSpace space, RegionWriter writer, Residence residence, GroupSink sink) {
        this.heap = heap;
        this.space = space;
        this.sink = sink;
        progress = new Progress(heap, space, writer, residence);
        cleanable = heap.cleanWhenUnreachable(this, progress);
    }

    /**
     * Appends an element.
     *
     * @param element the element, or null
     * @throws HeapspanException if the element cannot be encoded: it is not among those appended, which are as before
     * @throws SecondHeapException of category LIMIT if the capacity is used up, IO if something could not be written, perhaps of elements before.
     *     This element is among those that {@link #takeBack} gives, unless the call before failed already; nothing more can be appended
     */
    public void add(E element) {
        checkIntact();
        try {
            sink.add(element);
        } catch (SecondHeapException e) {
            failure = e;
            throw e;
        }
    }

    /**
     * Appends all elements of an iterator. If that fails, those drawn from it are among what {@link #takeBack} gives, all of them, and the
     * iterator has the rest.
     *
     * @param elements the elements, each of which may be null
     * @throws HeapspanException as {@link #add}
     */
    public void addAll(Iterator<? extends E> elements) {
        while (elements.hasNext()) {
            E element = elements.next();
            try {
                add(element);
            } catch (HeapspanException e) {
                if (!(e instanceof SecondHeapException)) {
                    refused = Collections.singletonList(element);
                }
                throw e;
            }
        }
    }

    /**
     * How many elements have been appended.
     *
     * @return elements
     */
    public long elementCount() {
        return ended ? groupedElements : progress.residence.elementCount() + pending();
    }

    private long pending() {
        return sink.openElements() + progress.writer.unplacedElements();
    }

    /**
     * How many bytes have got a place in the second heap so far; up to 2 MB more wait for theirs.
     *
     * @return bytes
     */
    public long imageBytes() {
        return progress.residence.imageBytes();
    }

    /**
     * Ends the sequence, once all of it has been written.
     *
     * @return its handle, which the caller closes
     * @throws SecondHeapException as {@link #add}; then {@link #takeBack} gives all elements
     */
    public H2Sequence<E> finish() {
        checkIntact();
        try {
            sink.endGroup();
            progress.writer.flush();
            progress.writer.await();
        } catch (SecondHeapException e) {
            failure = e;
            throw e;
        }
        groupedElements = progress.residence.elementCount();
        ended = true;
        sink.close();
        progress.residence.trim();
        // Space and residence pass on to the handle.
        progress.end();
        cleanable.run();
        heap.appended(progress.residence);
        return new H2Sequence<>(heap, space, progress.residence);
    }

    /**
     * Gives up: the elements that were appended, in their order and as new objects, to be put elsewhere. Their bytes become free when the
     * iterator has come to its end, or nobody refers to it any more.
     *
     * @return the elements, for one thread
     * @throws SecondHeapException of category USAGE after {@link #finish}, {@link #close} or a call before
     */
    public Iterator<E> takeBack() {
        checkOpen();
        groupedElements = elementCount();
        ended = true;
        progress.writer.awaitQuietly();
        return new Remainder();
    }

    private void checkIntact() {
        checkOpen();
        if (failure != null) {
            throw failure.again();
        }
    }

    private void checkOpen() {
        if (ended) {
            throw new SecondHeapException(
                    Category.USAGE,
                    "the appender has been finished, closed or its elements taken back; open another one");
        }
        heap.checkOpen();
    }

    /** Drops what was appended, unless {@link #finish} or {@link #takeBack} has handed it over. Closing again does nothing. */
    @Override
    public void close() {
        if (!ended) {
            groupedElements = elementCount();
            ended = true;
            cleanable.run();
        }
    }

    /** All elements, wherever they are by now. Refers to the appender, whose end frees the bytes. */
    private final class Remainder implements Iterator<E> {
        private final List<RegionWriter.Unplaced> unplaced = progress.writer.unplaced();
        private int placedPiece;
        private int unplacedPiece;
        private int rest;
        private List<@Nullable Object> current = List.of();
        private int next;
        private boolean drained;

        @Override
        public boolean hasNext() {
            while (next == current.size()) {
                if (drained) {
                    return false;
                }
                next = 0;
                current = nextPiece();
            }
            return true;
        }

        private List<@Nullable Object> nextPiece() {
            Residence placed = progress.residence;
            if (placedPiece < placed.pieceCount()) {
                int piece = placedPiece++;
                return Arrays.asList(progress.residence
                        .codec()
                        .decode(
                                placed.length(piece),
                                target -> progress.writer.read(placed.place(piece), placed.length(piece), target)));
            }
            if (unplacedPiece < unplaced.size()) {
                return decoded(unplaced.get(unplacedPiece++).bytes());
            }
            return nextOfRest();
        }

        private List<@Nullable Object> nextOfRest() {
            int part = rest++;
            if (part == 0) {
                return decoded(sink.unstored());
            }
            if (part == 1) {
                return decoded(sink.takeOpen());
            }
            drained = true;
            sink.close();
            cleanable.run();
            List<@Nullable Object> last = refused;
            return last == null ? List.of() : last;
        }

        private List<@Nullable Object> decoded(byte @Nullable [] group) {
            return group == null
                    ? List.of()
                    : Arrays.asList(progress.residence.codec().decode(group, group.length));
        }

        @Override
        @SuppressWarnings({"unchecked", "NullAway"}) // What was given, null included.
        public E next() {
            if (!hasNext()) {
                throw new NoSuchElementException("all elements have been taken back");
            }
            return (E) current.get(next++);
        }
    }
}
