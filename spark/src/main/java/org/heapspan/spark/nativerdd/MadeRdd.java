package org.heapspan.spark.nativerdd;

import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.heapspan.nativerdd.NativeBatch;
import scala.collection.Iterator;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/** Partitions that the driver side of a program has made: each is one batch, which travels with the task, or none. */
final class MadeRdd extends BatchRdd {
    private static final long serialVersionUID = 1L;

    private final transient List<byte[]> contents;

    @SuppressWarnings("unchecked") // The list of dependencies is empty.
    MadeRdd(SparkContext context, List<byte[]> contents) {
        super(context, (Seq<org.apache.spark.Dependency<?>>) (Seq<?>) Nil$.MODULE$);
        this.contents = contents;
        setName("parallelize");
    }

    @Override
    public Partition[] getPartitions() {
        Partition[] partitions = new Partition[contents.size()];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = new MadePartition(i, contents.get(i));
        }
        return partitions;
    }

    @Override
    Iterator<RddBatch> batches(Partition partition, TaskContext context) {
        byte[] bytes = ((MadePartition) partition).contents;
        return bytes.length == 0
                ? scala.collection.Iterator$.MODULE$.empty()
                : scala.collection.Iterator$.MODULE$.single(new RddBatch(NativeBatch.copyOf(bytes)));
    }

    private static final class MadePartition implements Partition {
        private static final long serialVersionUID = 1L;

        private final int index;
        private final byte[] contents;

        MadePartition(int index, byte[] contents) {
            this.index = index;
            this.contents = contents;
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return index;
        }
    }
}
