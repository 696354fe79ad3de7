package org.heapspan.giraph;

import org.apache.giraph.worker.DefaultWorkerObserver;

/**
 * Tells the second heap of a worker of supersteps, and closes it when the worker has saved its results. Set it as {@code
 * giraph.worker.observers}, together with {@link SecondHeapEdges} or {@link SecondHeapMessageStoreFactory} ({@code docs/giraph.md}).
 */
public final class SecondHeapObserver extends DefaultWorkerObserver {
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
        WorkerHeap.close(getConf());
    }
}
