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
 * Writes a sequence to the second heap element by element. The Java heap has only one open group and the write buffers. {@link #add} encodes the
 * element at once, so the program may change and reuse it. Exception: if roots {@linkplain SecondHeapOptions#withShared share objects}, an element that
 * a static final field of its class, or of a class around that, refers to is a constant. It is not encoded.
 *
 * <pre>{@code
 * try (H2Appender<Row> appender = heap.appender(label)) {
 *   try {
 *     appender.addAll(rows);
 *     return appender.finish();
 *   } catch (SecondHeapException full) {
 *     // The appender is still open here.
 *     return elsewhere(concat(appender.takeBack(), rows));
 *   }
 * }
 * }</pre>
 *
 * <p>Not thread-safe. Several appenders can write sequences with one label at the same time. If an appender is closed without {@link #finish},
 * or becomes unreachable, its space is freed.
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
     * @throws HeapspanException if the element cannot be encoded. It is not appended. Other elements can be appended
     * @throws SecondHeapException of category LIMIT if the capacity is used up or the element is too long, IO if a write failed, perhaps of an
     *     earlier element. {@link #takeBack} then returns this element too, and nothing more can be appended. If an earlier call has failed, the
     *     category is that of the failure, or USAGE after a failed {@link #addAll}. The element is not taken then
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
     * Appends all elements of an iterator. If that fails, {@link #takeBack} returns all elements that were read from the iterator, also the one
     * that was refused, and the iterator still has the rest. Then nothing more can be appended, and the appender cannot be finished.
     *
     * @param elements the elements, each of which may be null. If the iterator itself throws an exception, the appender can still be used
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
     * Returns the number of appended elements.
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
     * Returns the bytes of the appended elements in the second heap. Up to 2 MB more are still in a buffer.
     *
     * @return bytes
     */
    public long imageBytes() {
        return progress.residence.imageBytes();
    }

    /**
     * Waits until all elements are written, and ends the sequence.
     *
     * @return its handle, which the caller closes
     * @throws SecondHeapException as {@link #add}; {@link #takeBack} then returns all elements. Of category USAGE after a failed {@link #addAll}
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
     * Ends the appender without a sequence, and returns the appended elements as new objects in their order. Their bytes become free when the
     * iterator has reached its end, or is unreachable. If a call of the iterator fails, the next call tries the same element again.
     *
     * @return the elements, for one thread
     * @throws SecondHeapException of category USAGE after {@link #finish}, {@link #close} or an earlier call of this method, or if the heap has
     *     been closed; LIMIT if elements are lost. This happens if the stack is too small for an element, and a method of this element waits for a
     *     lock that the calling thread holds
     */
    public Iterator<E> takeBack() {
        checkOpen();
        if (sink.lostElements() > 0) {
            throw new SecondHeapException(
                    Category.LIMIT,
                    sink.lostElements() + " elements are lost, because the stack was too small for a later one, whose"
                            + " methods waited for a lock of this thread; append them again in a thread with a larger stack"
                            + " (-Xss), or without holding the lock",
                    failure);
        }
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
                            + ") and accepts no more elements; take its elements back, or close it",
                    earlier);
        }
    }

    private void checkOpen() {
        if (ended) {
            throw new SecondHeapException(
                    Category.USAGE,
                    "the appender has been finished or closed, or its elements were taken back; open another one");
        }
        heap.checkOpen();
    }

    /** Frees the appended elements, unless {@link #finish} or {@link #takeBack} was called. A second call does nothing. */
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
