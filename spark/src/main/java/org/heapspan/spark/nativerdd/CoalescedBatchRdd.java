package org.heapspan.spark.nativerdd;

import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.CoalescedRDD;
import org.apache.spark.rdd.RDD;
import scala.Option;
import scala.collection.Iterator;

/** Spark's RDD of fewer partitions, of an RDD of a native program. */
final class CoalescedBatchRdd extends CoalescedRDD<RddBatch> {
    private static final long serialVersionUID = 1L;

    CoalescedBatchRdd(RDD<RddBatch> input, int partitions) {
        super(input, partitions, Option.empty(), RddBatch.TAG);
        setName("coalesce");
    }

    @Override
    public Iterator<RddBatch> compute(Partition partition, TaskContext context) {
        return BatchRdd.kept(this, partition, super.compute(partition, context), context);
    }
}
