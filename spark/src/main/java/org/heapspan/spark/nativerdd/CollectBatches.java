package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;
import org.heapspan.nativerdd.NativeBatch;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction2;

/** Copies the batches of a partition for the driver. */
final class CollectBatches extends AbstractFunction2<TaskContext, Iterator<RddBatch>, byte[][]>
        implements Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[][] apply(TaskContext context, Iterator<RddBatch> batches) {
        List<byte[]> copies = new ArrayList<>();
        while (batches.hasNext()) {
            RddBatch batch = BatchLoan.take(batches.next());
            copies.add(
                    NativeBatch.bytesAt(batch.memory().address(), batch.memory().sizeBytes()));
            BatchLoan.giveBack(batch);
        }
        return copies.toArray(byte[][]::new);
    }
}
