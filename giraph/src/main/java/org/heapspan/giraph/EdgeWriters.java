package org.heapspan.giraph;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.heapspan.h2.Label;

/**
 * The open pages of one superstep, one for each thread. A thread computes the vertices of a partition one after the other, so their edges are
 * next to each other in its pages.
 *
 * <p>While a graph is loaded, edges come in the order of the input, and pages are small: they are read once, vertex by vertex.
 */
final class EdgeWriters {
    private static final int PAGE_BYTES = 64 << 10;
    private static final int LOADED_PAGE_BYTES = 8 << 10;

    private final WorkerHeap heap;
    private final Label label;
    private final boolean loading;
    private final Map<Thread, Writer> ofThreads = new ConcurrentHashMap<>();
    private final PageMoves moves;

    EdgeWriters(WorkerHeap heap, long superstep) {
        this.heap = heap;
        loading = superstep == WorkerHeap.INPUT_SUPERSTEP;
        label = loading ? WorkerHeap.LOADED_EDGES : WorkerHeap.EDGES;
        moves = new PageMoves(
                full -> {
                    heap.collectAgain();
                    heap.moveOnHint(full);
                },
                label);
    }

    Label label() {
        return label;
    }

    boolean isLoading() {
        return loading;
    }

    EdgePlace put(byte[] bytes, int from, int length) {
        return ofThreads
                .computeIfAbsent(Thread.currentThread(), thread -> new Writer())
                .put(bytes, from, length);
    }

    /** Tags what is still open; when no thread writes any more. */
    void seal() {
        ofThreads.values().forEach(Writer::seal);
    }

    private final class Writer {
        private EdgePage page = new EdgePage(0, loading);

        synchronized EdgePlace put(byte[] bytes, int from, int length) {
            int pageBytes = loading ? LOADED_PAGE_BYTES : PAGE_BYTES;
            if (length > pageBytes / 2) {
                EdgePage alone = new EdgePage(length, loading);
                EdgePlace place = alone.add(bytes, from, length);
                alone.seal(heap, label);
                moves.sealed(length);
                return place;
            }
            if (!page.hasRoom(length)) {
                seal();
                page = new EdgePage(pageBytes, loading);
                moves.sealed(pageBytes);
            }
            return page.add(bytes, from, length);
        }

        synchronized void seal() {
            page.seal(heap, label);
        }
    }
}
