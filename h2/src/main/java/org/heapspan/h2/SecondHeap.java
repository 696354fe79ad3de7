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
 * A heap on fast storage that the garbage collector does not scan (TeraHeap section 3, on an unmodified JVM). A program tags roots with a label.
 * When it moves the label, the graphs of these roots are written to mapped files as object images, and the objects on the Java heap can be
 * collected. Reading a root creates new objects from its image.
 *
 * <pre>{@code
 * try (SecondHeap heap = SecondHeap.open(Path.of("/mnt/nvme"), SecondHeapOptions.capacity(200L << 30))) {
 *   H2Handle<Partition> handle = heap.tagRoot(partition, Label.of(17));
 *   heap.move(Label.of(17));
 *   Partition copy = handle.get();
 * }
 * }</pre>
 *
 * <p>The second heap has no references to the Java heap. If several roots refer to one object, each root gets a copy, except for {@link
 * SharedObjects}. The files have no names, and are deleted when the process ends.
 *
 * <p>Thread-safe. Do not change objects of tagged roots while they are moved. With {@linkplain SecondHeapOptions#withThresholds thresholds}, which
 * are on by default, a move can begin at any time. So change tagged roots by {@link H2Handle#update} only, or switch thresholds off.
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
     * Opens a heap in a folder. Its files take space as they are filled. They are deleted as soon as they are open, so nothing is left when the
     * process ends or crashes.
     *
     * @param directory a folder on a local file system, best on NVMe; created if it does not exist
     * @param options the capacity and other options
     * @return the heap, which the caller closes
     * @throws SecondHeapException of category IO if the folder cannot be written to, or every user can replace files in it; ACCESS if this JVM
     *     cannot {@linkplain SecondHeapOptions#withEncryption encrypt}; USAGE if the {@linkplain SecondHeapOptions#withShared shared objects} were
     *     used for another heap before
     * @throws IllegalArgumentException if the capacity is less than one region, or more than {@link SecondHeapOptions#MOST_REGIONS} regions
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
     * Tags a root (TeraHeap's {@code h2_tag_root}). The root stays on the Java heap until its label is moved, by {@link #move} or by a threshold
     * ({@link SecondHeapOptions#withThresholds}). Until then the handle refers to it.
     *
     * <p>While the old generation is above the threshold, this call moves roots too, except within an update. It can then wait for the device and
     * for updates. So do not hold a lock that the reclaimer or a function of an update needs.
     *
     * @param root the object; all objects that it refers to are moved with it
     * @param label groups roots that are moved and freed together
     * @param <T> class of the root
     * @return the handle, which takes about 200 bytes. The heap releases the root when the handle is closed or unreachable. For many small roots
     *     use {@link #tagRoots}
     * @throws SecondHeapException of category USAGE if the heap has been closed
     */
    public <T> H2Handle<T> tagRoot(T root, Label label) {
        checkOpen();
        Objects.requireNonNull(root, "the root is null, expected an object");
        H2Handle<T> handle = new H2Root<>(this, enter(label), root);
        tag(handle);
        return handle;
    }

    /**
     * Tags many small roots with one handle, such as one root for each vertex of a graph. After the move each of them takes less than a byte of
     * the Java heap. This call can move roots and wait, as {@link #tagRoot}.
     *
     * @param roots the objects, each of which may be null; the collection itself is not referenced
     * @param label groups roots that are moved and freed together
     * @param <E> class of the roots
     * @return the handle
     * @throws SecondHeapException as {@link #tagRoot}
     */
    public <E> H2Sequence<E> tagRoots(Collection<? extends E> roots, Label label) {
        checkOpen();
        Object[] elements = roots.toArray();
        // From here on the label is in use, so nothing may fail.
        H2Sequence<E> handle = new H2Sequence<>(this, enter(label), elements);
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
     * Writes a sequence. Its elements are never all on the Java heap.
     *
     * @param label groups what is freed together
     * @param elements the elements, each of which may be null
     * @param <E> class of the elements
     * @return the handle of the sequence
     * @throws HeapspanException as {@link H2Appender#add}; nothing of the sequence is then in the heap
     */
    public <E> H2Sequence<E> append(Label label, Iterable<? extends E> elements) {
        try (H2Appender<E> appender = appender(label)) {
            appender.addAll(elements.iterator());
            return appender.finish();
        }
    }

    /**
     * Begins a sequence. Unlike with {@link #append}, the caller can get the elements back when the heap is full.
     *
     * @param label groups what is freed together
     * @param <E> class of the elements
     * @return an appender, which the caller closes
     * @throws SecondHeapException as {@link #tagRoot}
     */
    public <E> H2Appender<E> appender(Label label) {
        return appender(label, codec, Long.MAX_VALUE);
    }

    /**
     * Begins a sequence that another {@code Heapspan} instance encodes and decodes, instead of that of {@link SecondHeapOptions#withHeapspan}.
     * Use it for classes of another class loader.
     *
     * @param label groups what is freed together
     * @param heapspan an instance without limits, as for {@link SecondHeapOptions#withHeapspan}: its limits and updates apply when objects are
     *     read. One instance for many sequences saves memory
     * @param <E> class of the elements
     * @return an appender, which the caller closes
     * @throws SecondHeapException as {@link #tagRoot}
     */
    public <E> H2Appender<E> appender(Label label, Heapspan heapspan) {
        return appender(label, heapspan, Long.MAX_VALUE);
    }

    /**
     * Begins a sequence with a limit on the length of an element. To write an element, the Java heap needs space for twice its bytes. To read
     * it, the Java heap needs space for its bytes once, and for the object. So very large elements should stay on the Java heap.
     *
     * @param label groups what is freed together
     * @param heapspan as {@link #appender(Label, Heapspan)}
     * @param mostElementBytes the longest image of an element. A longer one is refused with category LIMIT; arrays are refused before they are
     *     copied. 1 GB and the capacity are limits in any case
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
     * Moves the tagged roots of a label (TeraHeap's {@code h2_move}). When this method returns, the roots are written, and their handles no
     * longer refer to objects on the Java heap. A root stays on the Java heap if its graph contains an object that cannot be stored, or if its
     * image is too long. The first such root of each class is logged.
     *
     * @param label the label; without tagged roots nothing happens
     * @return the numbers of moved and refused roots
     * @throws SecondHeapException with one of these categories. LIMIT: the capacity is used up. IO: a write failed. USAGE: the heap has been closed, or
     *     the caller is a function that updates a root. Roots that were not moved stay tagged on the Java heap
     */
    public MoveReport move(Label label) {
        checkOpen();
        if (UpdateScope.isEntered()) {
            throw new SecondHeapException(
                    Category.USAGE,
                    "a function that updates a root wants to move " + label
                            + ", which waits until updates end; move it before or after the update");
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

    /**
     * Returns why tagged roots could not be moved when the old generation was full ({@link SecondHeapOptions#withThresholds}), and forgets it. No
     * method throws such a failure, and only the first one is logged. A program that will run out of memory can ask for it, and call {@link #move},
     * which throws.
     *
     * @return the failure of the latest attempt; null if it was successful, or if this method has returned its failure already
     */
    public @Nullable Throwable takeMoveFailure() {
        PressureMonitor watching = monitor;
        return watching == null ? null : watching.takeFailure();
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
        return residence.codec().decode(length, target -> {
            readAhead.await(residence, piece);
            regions.read(residence.place(piece), length, target);
        });
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
     * Returns what is in the heap. It visits each region in use.
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
                "the second heap has been closed, and its objects are gone; close it after its last use");
    }

    /**
     * Closes the heap. All moved objects are gone, and handles cannot be read any more. Active readers can finish their group. The files are
     * closed. Their space is free when the collector has found their mappings unreachable. A second call does nothing.
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
