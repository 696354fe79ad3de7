package org.heapspan.giraph;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.h2.H2Handle;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeap;
import org.heapspan.h2.SecondHeapException;
import org.heapspan.h2.SecondHeapStatistics;
import org.heapspan.h2.SecondHeapStatistics.LabelStatistics;
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

    /** What the edges have in common that were stored while the graph was loaded: they all move to other pages in the first superstep. */
    static final Label LOADED_EDGES = Label.of(0);

    /** What all other edges have in common. Those of each superstep would take a region at least, for as long as one of them lives. */
    static final Label EDGES = Label.of(1);

    private static final long FIRST_MESSAGES = 2;

    /** How long the regions of unreachable pages may take to become free after a collection. */
    private static final long MOST_CLEANING_MILLIS = 2_000;

    private static final Cleaner CLEANER = Cleaner.create();

    /** By the configuration of their workers, which has identity. Guarded by itself. */
    private static final Map<Object, WorkerHeap> OPEN = new WeakHashMap<>();

    /** The one that was asked for last: a process mostly has one worker. */
    private static volatile @Nullable Recent recent;

    private record Recent(WeakReference<Object> configuration, WorkerHeap heap) {}

    private final SecondHeap heap;
    private final boolean transferHint;
    private final Object collecting = new Object();
    private volatile EdgeWriters edgeWriters;

    /** Whether the latest collection has freed nothing, so that full pages of messages, which can wait, cause no other. */
    private volatile boolean collectedInVain;

    private WorkerHeap(WorkerSettings settings) {
        heap = SecondHeap.open(settings.directory(), settings.options().withReclaimer(this::freeUnreachable));
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
        retryFailedMove();
        collectAgain();
        moveOnHint(before.label());
    }

    /** Puts edges into a page. */
    EdgePlace store(byte[] bytes, int from, int length) {
        return edgeWriters.put(bytes, from, length);
    }

    boolean isLoading() {
        return edgeWriters.isLoading();
    }

    /** What the messages have in common that were sent in a superstep. */
    static Label messages(long superstep) {
        return Label.of(FIRST_MESSAGES + superstep - INPUT_SUPERSTEP);
    }

    // ---------------------------------------------------------------- the second heap

    /** Tags a page, which moves on a hint or when the Java heap fills. */
    H2Handle<byte[]> tag(byte[] page, Label label) {
        return heap.tagRoot(page, label);
    }

    /**
     * Moves all tagged pages of a label, unless hints are switched off.
     *
     * @throws HeapspanException as {@link SecondHeap#move}
     */
    void moveOnHint(Label label) {
        if (transferHint) {
            move(label);
        }
    }

    private void move(Label label) {
        try {
            heap.move(label);
        } catch (SecondHeapException e) {
            if (e.category() != Category.LIMIT) {
                throw e;
            }
            throw new HeapspanException(
                    Category.LIMIT,
                    "edges and messages need more than the " + heap.statistics().capacityBytes()
                            + " bytes that the second heap of this worker may take; increase "
                            + WorkerSettings.CAPACITY + ", or use more workers",
                    e);
        }
    }

    /**
     * Moves all tagged pages, if they could not be moved when the Java heap was full. Nobody was told of that failure, and the job would run out of
     * memory. For threads on which it can fail instead.
     *
     * @throws HeapspanException as {@link SecondHeap#move}
     */
    void retryFailedMove() {
        if (heap.takeMoveFailure() != null) {
            collectAgain();
            for (LabelStatistics each : heap.statistics().labels()) {
                move(each.label());
            }
        }
    }

    /** Before a move that must not fail: by now there can be more to collect. */
    void collectAgain() {
        collectedInVain = false;
    }

    /**
     * Frees pages of edges that Giraph has dropped: it tells nobody when it removes a vertex, and when a program sets other edges. Only the
     * collector finds them, which may not have run for long.
     *
     * @return whether regions have become free
     */
    private boolean freeUnreachable() {
        long before = heap.statistics().regionsFreed();
        synchronized (collecting) {
            // Another thread has done it.
            boolean freed = heap.statistics().regionsFreed() > before;
            if (!freed && !collectedInVain) {
                System.gc();
                freed = awaitFreed(before);
                collectedInVain = !freed;
            }
            return freed;
        }
    }

    private boolean awaitFreed(long before) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MOST_CLEANING_MILLIS);
        while (heap.statistics().regionsFreed() == before) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return true;
    }

    SecondHeapStatistics statistics() {
        return heap.statistics();
    }

    @Override
    public void close() {
        heap.close();
    }
}
