package org.heapspan.h2;

import java.util.Map;
import java.util.TreeMap;
import java.util.WeakHashMap;

/** The heaps of this process that are open, by numbers that tell them apart in recordings. Keeps none of them. Thread-safe. */
final class OpenHeaps {
    private static final Map<SecondHeap, Long> NUMBERS = new WeakHashMap<>();
    private static long opened;

    private OpenHeaps() {}

    /** Something that wants to know of each heap. */
    interface Visitor {
        void heap(long number, SecondHeapStatistics statistics);
    }

    static synchronized void opened(SecondHeap heap) {
        NUMBERS.put(heap, ++opened);
    }

    static synchronized void closed(SecondHeap heap) {
        NUMBERS.remove(heap);
    }

    /** In the order in which they were opened. */
    static void forEach(Visitor visitor) {
        Map<Long, SecondHeap> heaps = new TreeMap<>();
        synchronized (OpenHeaps.class) {
            NUMBERS.forEach((heap, number) -> heaps.put(number, heap));
        }
        heaps.forEach((number, heap) -> visitor.heap(number, heap.statistics()));
    }
}
