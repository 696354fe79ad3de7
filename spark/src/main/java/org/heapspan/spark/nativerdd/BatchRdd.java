package org.heapspan.spark.nativerdd;

import java.util.ArrayDeque;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.StorageLevel;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/** An RDD of a native program. */
abstract class BatchRdd extends RDD<RddBatch> {
    private static final long serialVersionUID = 1L;

    BatchRdd(SparkContext context, Seq<Dependency<?>> dependencies) {
        super(context, dependencies, RddBatch.TAG);
    }

    /** The batches of a partition, each of which belongs to whoever gets it. */
    abstract Iterator<RddBatch> batches(Partition partition, TaskContext context);

    @Override
    public final Iterator<RddBatch> compute(Partition partition, TaskContext context) {
        return kept(this, partition, batches(partition, context), context);
    }

    /** The batches of a partition, with their home if the RDD is persisted. */
    static Iterator<RddBatch> kept(
            RDD<RddBatch> rdd, Partition partition, Iterator<RddBatch> batches, TaskContext context) {
        StorageLevel level = rdd.getStorageLevel();
        return level.useMemory() || level.useDisk()
                ? new KeptBatches(rdd.id(), partition.index(), level.useMemory(), batches, context)
                : batches;
    }

    /** Gives each batch the home in which Spark is going to keep it. */
    private static final class KeptBatches extends AbstractIterator<RddBatch> {
        private final int rdd;
        private final int partition;
        private final boolean inMemory;
        private final Iterator<RddBatch> batches;

        /** Until the task ends: whoever computes the partition may not look at all of them. */
        private final ArrayDeque<RddBatch> delivered = new ArrayDeque<>();

        private boolean ended;

        KeptBatches(int rdd, int partition, boolean inMemory, Iterator<RddBatch> batches, TaskContext context) {
            this.rdd = rdd;
            this.partition = partition;
            this.inMemory = inMemory;
            this.batches = batches;
            context.addTaskCompletionListener(task -> {
                end();
                return null;
            });
        }

        @Override
        public boolean hasNext() {
            closeWritten();
            return batches.hasNext();
        }

        /** Spark writes a partition to the disk batch by batch; also one that finds no room in memory. */
        private synchronized void closeWritten() {
            while (!delivered.isEmpty() && (!inMemory || delivered.getFirst().isWritten())) {
                delivered.removeFirst().close();
            }
        }

        private synchronized void end() {
            ended = true;
            delivered.forEach(BatchLoan::settle);
            delivered.clear();
        }

        /** Another thread than that of the task may read this. */
        private synchronized void deliver(RddBatch batch) {
            if (ended) {
                batch.close();
                throw new IllegalStateException("the task has ended");
            }
            delivered.add(batch);
        }

        @Override
        public RddBatch next() {
            RddBatch next = batches.next();
            RddBatch kept;
            if (next.isOnHeap()) {
                kept = next.keptIn(rdd, partition);
            } else {
                RddBatch taken = BatchLoan.take(next);
                kept = taken.keptIn(rdd, partition);
                BatchLoan.giveBack(taken);
            }
            deliver(kept);
            return kept;
        }
    }
}
