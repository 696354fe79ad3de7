package org.heapspan.h2;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Writes a sequence to the second heap element by element. The Java heap holds one open group, and the buffers that wait to be written. An element is
 * encoded at once, and may be changed and used again afterwards.
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
 * <p>Not thread-safe. Many appenders may append to one label at the same time, each its own sequence. If it is closed without {@link #finish}, or
 * becomes unreachable, it leaves nothing behind.
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
    private @Nullable Throwable failure;

    /** An element that could not be encoded, if there is one: drawn by {@link #addAll}, or the last. */
    private @Nullable Object refused;

    private boolean hasRefused;

    private final long openedNanos = System.nanoTime();

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
     * @throws HeapspanException if the element cannot be encoded: it is not among those appended, which are as before, and others can be
     *     appended
     * @throws SecondHeapException of category LIMIT if the capacity is used up or the element longer than anything that the heap takes, IO if
     *     something could not be written, perhaps of elements before. This element is among those that {@link #takeBack} gives; nothing
     *     more can be appended. Of any category if a call before failed so, or USAGE after a failed {@link #addAll}: the element is not taken then
     */
    public void add(E element) {
        checkIntact();
        append(element);
    }

    private void append(E element) {
        try {
            sink.add(element);
        } catch (RuntimeException | Error e) {
            if (sink.isBroken()) {
                failure = e;
            } else if (e instanceof SecondHeapException) {
                // What it shares with others could not be stored.
                failure = e;
                refused = element;
                hasRefused = true;
            }
            throw e;
        }
    }

    /**
     * Appends all elements of an iterator. If that fails, those drawn from it are among what {@link #takeBack} gives, all of them, and the
     * iterator has the rest. Nothing more can be appended then, nor can the appender be finished: a refused element is kept for
     * {@link #takeBack} and has its place behind the others.
     *
     * @param elements the elements, each of which may be null; what the iterator itself throws leaves the appender as it was
     * @throws HeapspanException if an element cannot be encoded
     * @throws SecondHeapException as {@link #add}
     */
    public void addAll(Iterator<? extends E> elements) {
        checkIntact();
        while (elements.hasNext()) {
            // Before the element is drawn: there would be no place for it.
            checkIntact();
            E element = elements.next();
            try {
                append(element);
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = e;
                    refused = element;
                    hasRefused = true;
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
     * @throws SecondHeapException as {@link #add}; then {@link #takeBack} gives all elements. Of category USAGE after a failed {@link #addAll}
     */
    public H2Sequence<E> finish() {
        checkIntact();
        long openNanos = System.nanoTime() - openedNanos;
        SecondHeapAppendEvent event = FlightRecording.append();
        H2Sequence<E> sequence;
        try {
            sink.endGroup();
            progress.writer.flush();
            progress.writer.await();
            progress.residence.trim();
            sequence = new H2Sequence<>(heap, space, progress.residence);
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        }
        // Space and residence have passed on to the handle.
        progress.end();
        groupedElements = progress.residence.elementCount();
        ended = true;
        sink.close();
        cleanable.run();
        heap.appended(progress.residence);
        if (event != null) {
            event.end(space.label, progress.residence, openNanos);
        }
        return sequence;
    }

    /**
     * Gives up, and returns the elements that were appended: in their order, as new objects, to be stored elsewhere. Their bytes become free when the
     * iterator has come to its end, or when nobody refers to it. If a call of the iterator fails, the next call tries the same again.
     *
     * @return the elements, for one thread
     * @throws SecondHeapException of category USAGE after {@link #finish}, {@link #close} or a call before
     */
    public Iterator<E> takeBack() {
        checkOpen();
        progress.writer.awaitQuietly();
        Iterator<E> all = new Remainder();
        groupedElements = elementCount();
        ended = true;
        FlightRecording.fallback(space.label, Fallback.SEQUENCE, groupedElements, failure);
        return all;
    }

    private void checkIntact() {
        checkOpen();
        Throwable earlier = failure;
        if (earlier instanceof SecondHeapException known) {
            throw known.again();
        }
        if (earlier != null) {
            throw new SecondHeapException(
                    Category.USAGE,
                    "the appender has failed before (" + earlier
                            + ") and takes nothing more; take its elements back, or close it",
                    earlier);
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
                current = nextPiece();
                next = 0;
            }
            return true;
        }

        private List<@Nullable Object> nextPiece() {
            Residence placed = progress.residence;
            if (placedPiece < placed.pieceCount()) {
                int piece = placedPiece;
                List<@Nullable Object> elements = Arrays.asList(placed.codec()
                        .decode(
                                placed.length(piece),
                                target -> progress.writer.read(placed.place(piece), placed.length(piece), target)));
                // What counts a piece as read comes after it, for those who go on after a failure.
                placedPiece++;
                return elements;
            }
            if (unplacedPiece < unplaced.size()) {
                List<@Nullable Object> elements =
                        decoded(unplaced.get(unplacedPiece).bytes());
                unplacedPiece++;
                return elements;
            }
            List<@Nullable Object> elements = nextOfRest();
            rest++;
            return elements;
        }

        private List<@Nullable Object> nextOfRest() {
            return switch (rest) {
                case 0 -> unstored();
                case 1 -> decoded(sink.takeOpen());
                case 2 -> sink.tooLong();
                default -> {
                    drained = true;
                    sink.close();
                    cleanable.run();
                    yield hasRefused ? Collections.singletonList(refused) : List.of();
                }
            };
        }

        private List<@Nullable Object> unstored() {
            ByteBuffer group = sink.unstored();
            return group == null
                    ? List.of()
                    : Arrays.asList(progress.residence.codec().decode(group));
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
