package org.heapspan.spark.nativerdd;

import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.heapspan.BlockShuffle;
import org.apache.spark.rdd.RDD;
import scala.Product2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** What the map sides of a native program have written for each partition. */
final class ShuffledBatchRdd extends BatchRdd {
    private static final long serialVersionUID = 1L;

    ShuffledBatchRdd(StageRdd mapSides, int partitions) {
        super(
                mapSides.context(),
                CollectionConverters.asScala(List.<Dependency<?>>of(
                                BlockShuffle.<RddBatch>dependency(mapSides, partitions, new BatchSerializer())))
                        .toList());
    }

    @SuppressWarnings("unchecked") // That is what it was made with.
    private ShuffleDependency<Object, RddBatch, RddBatch> shuffle() {
        return (ShuffleDependency<Object, RddBatch, RddBatch>) dependencies().head();
    }

    @Override
    public Partition[] getPartitions() {
        Partition[] partitions = new Partition[shuffle().partitioner().numPartitions()];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = new StagePartition(i, new RDD<?>[0], new int[0]);
        }
        return partitions;
    }

    @Override
    Iterator<RddBatch> batches(Partition partition, TaskContext context) {
        Iterator<Product2<Object, RddBatch>> records = BlockShuffle.read(shuffle(), partition.index(), context);
        return new AbstractIterator<>() {
            @Override
            public boolean hasNext() {
                return records.hasNext();
            }

            @Override
            public RddBatch next() {
                return records.next()._2();
            }
        };
    }
}
