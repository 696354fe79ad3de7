package org.heapspan.giraph;

import org.apache.giraph.worker.DefaultWorkerObserver;
import org.apache.log4j.Logger;
import org.heapspan.h2.SecondHeapStatistics;

/**
 * Tells the second heap of a worker of supersteps, and closes it when the worker has saved its results. Set it as {@code
 * giraph.worker.observers}, together with {@link SecondHeapEdges} or {@link SecondHeapMessageStoreFactory} ({@code docs/giraph.md}).
 */
public final class SecondHeapObserver extends DefaultWorkerObserver {
    /** As Giraph logs. */
    private static final Logger LOGGER = Logger.getLogger(SecondHeapObserver.class);

    /** For Giraph, which makes one for each worker. */
    public SecondHeapObserver() {}

    /** Checks the settings before anything is loaded. */
    @Override
    public void preLoad() {
        WorkerHeap.of(getConf());
    }

    @Override
    public void preSuperstep(long superstep) {
        WorkerHeap.of(getConf()).begin(superstep);
    }

    @Override
    public void postSave() {
        WorkerHeap heap = WorkerHeap.ofOrNull(getConf());
        if (heap != null) {
            LOGGER.info(summary(heap.statistics()));
        }
        WorkerHeap.close(getConf());
    }

    private static String summary(SecondHeapStatistics statistics) {
        return "second heap of this worker: " + statistics.writtenBytes() + " bytes written in "
                + statistics.movedRoots() + " pages; " + statistics.regionsFreed() + " regions of "
                + statistics.regionBytes() + " bytes freed; " + statistics.liveBytes()
                + " bytes used at the end, of " + statistics.capacityBytes() + " bytes";
    }
}
