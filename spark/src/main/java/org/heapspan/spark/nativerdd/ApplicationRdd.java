package org.heapspan.spark.nativerdd;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** An RDD of the application as a native program reads it. */
final class ApplicationRdd extends BatchRdd {
    private static final long serialVersionUID = 1L;

    private final Format format;

    /** How elements become batches. */
    interface Format extends Serializable {
        Iterator<RddBatch> batches(Iterator<?> elements);
    }

    ApplicationRdd(RDD<?> elements, Format format, String name) {
        super(
                elements.context(),
                CollectionConverters.asScala(List.<Dependency<?>>of(new OneToOneDependency<>(elements)))
                        .toList());
        this.format = format;
        setName(name);
    }

    private RDD<?> elements() {
        return dependencies().head().rdd();
    }

    @Override
    public Partition[] getPartitions() {
        return elements().partitions();
    }

    @Override
    Iterator<RddBatch> batches(Partition partition, TaskContext context) {
        return format.batches(elements().iterator(partition, context));
    }
}
