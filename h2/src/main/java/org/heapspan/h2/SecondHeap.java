package org.heapspan.h2;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * A heap on fast storage that the collector does not scan. It follows TeraHeap (section 3) on an unmodified JVM. A root is tagged with a label.
 * When the label moves, the graphs of its roots are written to mapped files as object images, and the objects on the Java heap may die. Reading a root
 * makes young objects from its image.
 *
 * <pre>{@code
 * try (SecondHeap heap = SecondHeap.open(Path.of("/mnt/nvme"), SecondHeapOptions.capacity(200L << 30))) {
 *   H2Handle<Partition> handle = heap.tagRoot(partition, Label.of(17));
 *   heap.move(Label.of(17));
 *   Partition copy = handle.get();
 * }
 * }</pre>
 *
 * <p>No reference leads from the second heap to the Java heap: an image is closed. An object that several roots refer to is copied with each of
 * them, except {@link SharedObjects}. Nothing survives the process, and the files have no names.
 *
 * <p>Thread-safe. Objects of tagged roots must not change while they move.
 */
public final class SecondHeap implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final ElementCodec codec;

    /** Those of other instances of Heapspan, held by the sequences that need them. */
    private final Map<Heapspan, WeakReference<ElementCodec>> codecs = new WeakHashMap<>();

    /** What roots share, or null. */
    private final @Nullable SharedObjects shared;

    private final Regions regions;
    private final StorageThread thread;
    private final ReadAhead readAhead;
    private final RootWriter roots;
    private final AtomicLong labelNumbers = new AtomicLong();
    private final ConcurrentHashMap<Label, LabelSpace> labels = new ConcurrentHashMap<>();

    /** Null where roots move only when they are told to; set before anybody knows the heap. */
    private @Nullable PressureMonitor monitor;

    private volatile boolean closed;

    private SecondHeap(SecondHeapOptions options, Storage storage) {
        shared = options.shared();
        codec = new ElementCodec(options.heapspan(), options.groupBytes(), shared);
        thread = new StorageThread(options);
        regions = new Regions(options, storage, thread);
        readAhead = new ReadAhead(regions);
        roots = new RootWriter(regions, thread);
    }

    /**
     * Opens a heap in a folder. Its files take space as they are filled and cannot be seen there: they are deleted as soon as they are open,
     * so that nothing is left behind, however the process ends.
     *
     * @param directory a folder on a local file system, best on NVMe; made if there is none
     * @param options how much it may take, and more
     * @return the heap, which the caller closes
     * @throws SecondHeapException of category IO if the folder cannot be written to, or everybody can replace files in it; ACCESS if this JVM cannot
     *     {@linkplain SecondHeapOptions#withEncryption encrypt}
     */
    public static SecondHeap open(Path directory, SecondHeapOptions options) {
        Storage storage = options.storage();
        if (storage == null) {
            try {
                storage = new UnlinkedFiles(directory, options.reserveBytes());
            } catch (IOException e) {
                throw new SecondHeapException(
                        Category.IO,
                        "no second heap in " + directory + ": " + e + "; name a folder that this process can write to",
                        e);
            }
        }
        SecondHeap heap = new SecondHeap(options, storage);
        if (heap.shared != null) {
            heap.shared.bind(heap, options.keptBytes());
        }
        heap.thread.start();
        OpenHeaps.opened(heap);
        heap.monitor = PressureMonitor.start(heap, options);
        return heap;
    }

    // ---------------------------------------------------------------- roots

    /**
     * Tags a root (TeraHeap's {@code h2_tag_root}). The root stays on the Java heap until its label moves. The handle refers to it there.
     *
     * @param root the object; all it refers to moves with it
     * @param label what moves and dies together
     * @param <T> class of the root
     * @return the handle, by which alone the root lives from now on, as far as the heap is concerned; some 200 bytes. For many small roots
     *     use {@link #tagRoots}
     * @throws SecondHeapException of category USAGE if the heap has been closed
     */
    public <T> H2Handle<T> tagRoot(T root, Label label) {
        checkOpen();
        H2Handle<T> handle = new H2Root<>(this, enter(label), root);
        tag(handle);
        return handle;
    }

    /**
     * Tags many small roots with one handle, such as one for each vertex of a graph: less than a byte of the Java heap for each of them once
     * they have moved.
     *
     * @param roots the objects; the collection itself is not kept
     * @param label what moves and dies together
     * @param <E> class of the roots
     * @return the handle
     * @throws SecondHeapException as {@link #tagRoot}
     */
    public <E> H2Sequence<E> tagRoots(Collection<? extends E> roots, Label label) {
        checkOpen();
        H2Sequence<E> handle = new H2Sequence<>(this, enter(label), roots.toArray());
        tag(handle);
        return handle;
    }

    private void tag(H2Handle<?> handle) {
        handle.state().tag();
        PressureMonitor watching = monitor;
        if (watching != null) {
            watching.tagged();
        }
    }

    /**
     * Writes a sequence without ever holding all its elements on the Java heap.
     *
     * @param label what dies together
     * @param elements the elements, each of which may be null
     * @param <E> class of the elements
     * @return the handle of what was written
     * @throws HeapspanException as {@link H2Appender#add}; nothing of it is left then
     */
    public <E> H2Sequence<E> append(Label label, Iterable<? extends E> elements) {
        try (H2Appender<E> appender = appender(label)) {
            appender.addAll(elements.iterator());
            return appender.finish();
        }
    }

    /**
     * Begins a sequence. Unlike {@link #append} it leaves it to the caller what happens to the elements when the heap is full.
     *
     * @param label what dies together
     * @param <E> class of the elements
     * @return an appender, which the caller closes
     * @throws SecondHeapException as {@link #tagRoot}
     */
    public <E> H2Appender<E> appender(Label label) {
        return appender(label, codec, Long.MAX_VALUE);
    }

    /**
     * Begins a sequence whose elements another instance encodes and decodes than that of {@link SecondHeapOptions#withHeapspan}. Use it for classes that
     * are found by another class loader.
     *
     * @param label what dies together
     * @param heapspan any instance; using one for many sequences spares memory
     * @param <E> class of the elements
     * @return an appender, which the caller closes
     * @throws SecondHeapException as {@link #tagRoot}
     */
    public <E> H2Appender<E> appender(Label label, Heapspan heapspan) {
        return appender(label, heapspan, Long.MAX_VALUE);
    }

    /**
     * Begins a sequence with a limit on the length of an element. Writing an element needs twice its bytes on the Java heap for a while. Reading needs
     * them once, beside the object itself. An element that is large for this Java heap is better kept there.
     *
     * @param label what dies together
     * @param heapspan as {@link #appender(Label, Heapspan)}
     * @param mostElementBytes the longest image of an element; another one is refused with category LIMIT, for arrays before they are copied. There
     *     is always the limit that the capacity sets, which is 1 GB or less
     * @param <E> class of the elements
     * @return an appender, which the caller closes
     * @throws SecondHeapException as {@link #tagRoot}
     */
    public <E> H2Appender<E> appender(Label label, Heapspan heapspan, long mostElementBytes) {
        return appender(label, codecOf(heapspan), mostElementBytes);
    }

    private ElementCodec codecOf(Heapspan heapspan) {
        synchronized (codecs) {
            WeakReference<ElementCodec> reference = codecs.get(heapspan);
            ElementCodec known = reference == null ? null : reference.get();
            if (known == null) {
                known = new ElementCodec(heapspan, codec.groupBytes(), shared);
                codecs.put(heapspan, new WeakReference<>(known));
            }
            return known;
        }
    }

    private <E> H2Appender<E> appender(Label label, ElementCodec codec, long mostElementBytes) {
        checkOpen();
        LabelSpace space = enter(label);
        RegionWriter writer = new RegionWriter(regions, thread, space);
        Residence residence = new Residence(regions, space, codec);
        return new H2Appender<>(
                this, space, writer, residence, new GroupSink(codec, writer, residence, mostElementBytes));
    }

    // ---------------------------------------------------------------- moving

    /**
     * Moves the tagged roots of a label (TeraHeap's {@code h2_move}). When it returns, they have been written, and their handles no longer refer to
     * objects on the Java heap. A root stays on the Java heap if its graph holds an object that cannot be stored, or if its image is longer than the heap
     * takes. The first of each class is logged.
     *
     * @param label what moves; nothing happens if there are no such roots
     * @return what has been done
     * @throws SecondHeapException of category LIMIT if the capacity is used up, IO if something could not be written, USAGE if the heap has
     *     been closed, or if the caller is a function that updates a root. Roots that have not moved are on the Java heap as before, tagged
     */
    public MoveReport move(Label label) {
        checkOpen();
        if (UpdateScope.isEntered()) {
            throw new SecondHeapException(
                    Category.USAGE,
                    "a function that updates a root wants to move " + label
                            + ", which waits for updates to end; move before or after the update");
        }
        LabelSpace space = labels.get(label);
        if (space == null) {
            return new MoveReport(0, 0, 0);
        }
        synchronized (space.moving) {
            SecondHeapMoveEvent event = FlightRecording.move();
            MoveReport report;
            try {
                report = roots.move(space);
            } catch (SecondHeapException e) {
                FlightRecording.fallback(label, Fallback.MOVE, space.taggedRoots(), e);
                throw e;
            }
            if (event != null) {
                event.end(label, report);
            }
            return report;
        }
    }

    /** What moves roots when the old generation fills, if something does. */
    @Nullable
    PressureMonitor monitor() {
        return monitor;
    }

    /** The label with tagged roots that was used first, or null. */
    @Nullable
    Label oldestTagged() {
        LabelSpace oldest = null;
        for (LabelSpace space : labels.values()) {
            if (space.hasTagged() && (oldest == null || space.number < oldest.number)) {
                oldest = space;
            }
        }
        return oldest == null ? null : oldest.label;
    }

    // ---------------------------------------------------------------- handles

    RootWriter roots() {
        return roots;
    }

    /** Of all that has none of its own. */
    ElementCodec codec() {
        return codec;
    }

    @Nullable
    Object[] decode(Residence residence, int piece) {
        int length = residence.length(piece);
        readAhead.about(residence, piece);
        return residence.codec().decode(length, target -> regions.read(residence.place(piece), length, target));
    }

    /** For whoever decodes many pieces in their order. */
    ReadAhead.Cursor readAhead(Residence use) {
        return readAhead.cursor(use);
    }

    Runnable cleanWhenUnreachable(Object object, Runnable action) {
        return CLEANER.register(object, action)::clean;
    }

    /** Finds what is known of a label, for one more user. */
    private LabelSpace enter(Label label) {
        return Objects.requireNonNull(labels.compute(label, (key, known) -> {
            LabelSpace space = known == null ? new LabelSpace(label, labelNumbers.getAndIncrement()) : known;
            space.users++;
            return space;
        }));
    }

    /** A user of a label is gone; with the last one all that was known of it. */
    void leave(LabelSpace left) {
        labels.computeIfPresent(left.label, (key, space) -> --space.users == 0 ? null : space);
    }

    /** Writes an object that roots share; as {@link RootWriter#store}. */
    SharedRoot storeShared(SharedObjects owner, long number, ElementCodec objectCodec, Object object) {
        checkOpen();
        LabelSpace space = enter(SharedObjects.LABEL);
        boolean complete = false;
        try {
            SharedRoot root = new SharedRoot(owner, this, number, roots.store(space, objectCodec, object), object);
            complete = true;
            return root;
        } finally {
            if (!complete) {
                leave(space);
            }
        }
    }

    /** Counts a sequence that was appended. */
    void appended(Residence residence) {
        roots.counters.appendedSequences.increment();
        roots.counters.writtenBytes.add(residence.imageBytes());
    }

    // ---------------------------------------------------------------- the heap itself

    /**
     * What is in the heap. Looks at each region in use.
     *
     * @return a snapshot
     */
    public SecondHeapStatistics statistics() {
        return StatisticsView.of(regions, labels.values(), roots.counters, shared == null ? 0 : shared.keptBytes());
    }

    /** Throws unless it is open. */
    void checkOpen() {
        if (closed) {
            throw closed();
        }
    }

    static SecondHeapException closed() {
        return new SecondHeapException(
                Category.USAGE,
                "the second heap has been closed, and what was in it is gone; close it after the last use");
    }

    /**
     * Closes the heap. Everything that was moved is gone, and handles give nothing any more. Readers come to the end of their group. The files are
     * closed. Their space is free once the collector has found that nobody can read it. Closing again does nothing.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        if (monitor != null) {
            monitor.close();
        }
        OpenHeaps.closed(this);
        readAhead.close();
        if (shared != null) {
            shared.close();
        }
        thread.close();
        regions.files().close();
    }
}
