package org.heapspan.spark.nativerdd;

import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.UnionRDD;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's union of RDDs of a native program. */
final class UnionBatchRdd extends UnionRDD<RddBatch> {
    private static final long serialVersionUID = 1L;

    UnionBatchRdd(SparkContext context, List<RDD<RddBatch>> inputs) {
        super(context, CollectionConverters.asScala(inputs).toList(), RddBatch.TAG);
        setName("union");
    }

    @Override
    public Iterator<RddBatch> compute(Partition partition, TaskContext context) {
        return BatchRdd.kept(this, partition, super.compute(partition, context), context);
    }
}
