package org.heapspan.giraph;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.heapspan.h2.H2Handle;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeap;
import org.heapspan.h2.SecondHeapStatistics;
import org.jspecify.annotations.Nullable;

/**
 * The second heap of one worker. It is opened with the first edges or messages, and closed when the worker has saved its results, or when
 * nobody refers to the configuration of the worker any more.
 *
 * <p>Thread-safe.
 */
final class WorkerHeap implements AutoCloseable {
    /** The superstep in which Giraph loads the graph. */
    static final long INPUT_SUPERSTEP = -1;

    private static final Cleaner CLEANER = Cleaner.create();

    /** By the configuration of their workers, which has identity. Guarded by itself. */
    private static final Map<Object, WorkerHeap> OPEN = new WeakHashMap<>();

    /** The one that was asked for last: a process mostly has one worker. */
    private static volatile @Nullable Recent recent;

    private record Recent(WeakReference<Object> configuration, WorkerHeap heap) {}

    private final SecondHeap heap;
    private final boolean transferHint;
    private volatile EdgeWriters edgeWriters;

    private WorkerHeap(WorkerSettings settings) {
        heap = SecondHeap.open(settings.directory(), settings.options());
        transferHint = settings.transferHint();
        edgeWriters = new EdgeWriters(this, INPUT_SUPERSTEP);
    }

    /**
     * Returns the heap of a worker, and opens it if it is the first call.
     *
     * @throws org.heapspan.HeapspanException if a setting is missing or wrong, or the folder cannot be used
     */
    static WorkerHeap of(ImmutableClassesGiraphConfiguration<?, ?, ?> configuration) {
        Recent last = recent;
        if (last != null && last.configuration.refersTo(configuration)) {
            return last.heap;
        }
        synchronized (OPEN) {
            WorkerHeap found = OPEN.get(configuration);
            if (found == null) {
                WorkerHeap opened = new WorkerHeap(WorkerSettings.of(configuration));
                CLEANER.register(configuration, opened::close);
                OPEN.put(configuration, opened);
                found = opened;
            }
            recent = new Recent(new WeakReference<>(configuration), found);
            return found;
        }
    }

    /** The heap of a worker, if it has been opened. */
    static @Nullable WorkerHeap ofOrNull(ImmutableClassesGiraphConfiguration<?, ?, ?> configuration) {
        synchronized (OPEN) {
            return OPEN.get(configuration);
        }
    }

    /** Closes the heap of a worker, if it has been opened. A later call of {@link #of} opens another one. */
    static void close(ImmutableClassesGiraphConfiguration<?, ?, ?> configuration) {
        WorkerHeap removed;
        synchronized (OPEN) {
            removed = OPEN.remove(configuration);
            recent = null;
        }
        if (removed != null) {
            removed.close();
        }
    }

    // ---------------------------------------------------------------- supersteps

    /**
     * A superstep begins, in which no thread computes yet. What is left of the edges of the superstep before moves if a hint is to do that. Edges
     * that have just been loaded go to other pages, in the order in which they are needed, when their vertices are computed for the first time.
     */
    void begin(long superstep) {
        EdgeWriters before = edgeWriters;
        edgeWriters = new EdgeWriters(this, superstep);
        before.seal();
        moveOnHint(before.label());
    }

    /** Puts edges into a page. */
    EdgePlace store(byte[] bytes, int from, int length) {
        return edgeWriters.put(bytes, from, length);
    }

    boolean isLoading() {
        return edgeWriters.isLoading();
    }

    /** What the edges have in common that were stored in a superstep. */
    static Label edges(long superstep) {
        return Label.of(2 * (superstep - INPUT_SUPERSTEP));
    }

    /** What the messages have in common that were sent in a superstep. */
    static Label messages(long superstep) {
        return Label.of(2 * (superstep - INPUT_SUPERSTEP) + 1);
    }

    // ---------------------------------------------------------------- the second heap

    /** Tags a page, which moves on a hint or when the Java heap fills. */
    H2Handle<byte[]> tag(byte[] page, Label label) {
        return heap.tagRoot(page, label);
    }

    /** Moves all tagged pages of a label, unless hints are switched off. */
    void moveOnHint(Label label) {
        if (transferHint) {
            heap.move(label);
        }
    }

    SecondHeapStatistics statistics() {
        return heap.statistics();
    }

    @Override
    public void close() {
        heap.close();
    }
}
