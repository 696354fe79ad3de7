package org.heapspan.spark.nativerdd;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.rdd.RDD;
import org.heapspan.nativerdd.NativeProgramException;
import org.heapspan.nativerdd.ProgramHost;
import scala.Enumeration;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What a stage of a native program makes of its inputs: of partition p of all inputs, or of each pair of partitions of two. As a map side, its iterators
 * write the map output.
 */
final class StageRdd extends BatchRdd {
    private static final long serialVersionUID = 1L;

    private final StageCode code;
    private final boolean cartesian;

    /** As in {@link ProgramHost.StagePlan}. */
    private final int order;

    StageRdd(SparkContext context, StageCode code, boolean cartesian, int order, List<RDD<RddBatch>> inputs) {
        super(context, dependencies(inputs, cartesian));
        this.code = code;
        this.cartesian = cartesian;
        this.order = order;
        setName(code.operators());
    }

    private static Seq<Dependency<?>> dependencies(List<RDD<RddBatch>> inputs, boolean cartesian) {
        if (cartesian && inputs.size() != 2) {
            throw new NativeProgramException("a cartesian stage has " + inputs.size() + " inputs, expected 2");
        }
        List<Dependency<?>> dependencies = new ArrayList<>();
        if (cartesian) {
            int right = inputs.get(1).getNumPartitions();
            dependencies.add(new OneParent(inputs.get(0), right, true));
            dependencies.add(new OneParent(inputs.get(1), right, false));
        } else {
            int partitions = inputs.isEmpty() ? 0 : inputs.get(0).getNumPartitions();
            for (RDD<RddBatch> input : inputs) {
                if (input.getNumPartitions() != partitions) {
                    throw new NativeProgramException("the inputs of a stage have " + partitions + " and "
                            + input.getNumPartitions() + " partitions, expected the same number");
                }
                dependencies.add(new OneToOneDependency<>(input));
            }
        }
        return CollectionConverters.asScala(dependencies).toList();
    }

    private RDD<?>[] inputs() {
        return CollectionConverters.asJava(dependencies()).stream()
                .map(Dependency::rdd)
                .toArray(RDD[]::new);
    }

    @Override
    public Partition[] getPartitions() {
        RDD<?>[] inputs = inputs();
        int right = cartesian ? inputs[1].getNumPartitions() : 1;
        long count = (long) inputs[0].getNumPartitions() * right;
        if (count > Integer.MAX_VALUE) {
            throw new NativeProgramException("a cartesian product of " + inputs[0].getNumPartitions() + " and " + right
                    + " partitions has " + count + ", and an RDD has at most " + Integer.MAX_VALUE
                    + "; coalesce the inputs before");
        }
        Partition[] partitions = new Partition[(int) count];
        for (int i = 0; i < partitions.length; i++) {
            int[] numbers = new int[inputs.length];
            for (int input = 0; input < inputs.length; input++) {
                numbers[input] = !cartesian ? i : input == 0 ? i / right : i % right;
            }
            partitions[i] = new StagePartition(i, inputs, numbers);
        }
        return partitions;
    }

    @Override
    public Seq<String> getPreferredLocations(Partition partition) {
        RDD<?>[] inputs = inputs();
        List<String> all = new ArrayList<>();
        List<String> common = null;
        for (int i = 0; i < inputs.length; i++) {
            List<String> locations =
                    CollectionConverters.asJava(inputs[i].preferredLocations(((StagePartition) partition).input(i)));
            all.addAll(locations);
            if (common == null) {
                common = new ArrayList<>(locations);
            } else {
                common.retainAll(locations);
            }
        }
        List<String> preferred = common == null || common.isEmpty() ? all : common;
        return CollectionConverters.asScala(preferred.stream().distinct().toList())
                .toList();
    }

    @Override
    public Enumeration.Value getOutputDeterministicLevel() {
        Enumeration.Value ofInputs = super.getOutputDeterministicLevel();
        boolean readsOrder = (order & ProgramHost.READS_ORDER) != 0;
        if ((order & ProgramHost.READS_VARIED_ORDER) != 0
                || readsOrder && ofInputs.equals(DeterministicLevel.UNORDERED())) {
            return DeterministicLevel.INDETERMINATE();
        }
        // Where memory is refused, keys are handled in parts, one part after the other.
        boolean variesOrder = (order & ProgramHost.VARIES_ORDER) != 0;
        return variesOrder && ofInputs.equals(DeterministicLevel.DETERMINATE())
                ? DeterministicLevel.UNORDERED()
                : ofInputs;
    }

    @Override
    Iterator<RddBatch> batches(Partition partition, TaskContext context) {
        StagePartition stage = (StagePartition) partition;
        List<StageRun.Input> inputs = new ArrayList<>();
        List<Dependency<?>> dependencies = CollectionConverters.asJava(dependencies());
        for (int i = 0; i < dependencies.size(); i++) {
            @SuppressWarnings("unchecked") // That is what they were made from.
            RDD<RddBatch> input = (RDD<RddBatch>) dependencies.get(i).rdd();
            Partition read = stage.input(i);
            inputs.add(() -> input.iterator(read, context));
        }
        return new StageRun(code, partition.index(), inputs, context, stage.isAfterCrash(context));
    }

    /** One side of a cartesian product. */
    private static final class OneParent extends NarrowDependency<RddBatch> {
        private static final long serialVersionUID = 1L;

        private final int right;
        private final boolean isLeft;

        OneParent(RDD<RddBatch> input, int right, boolean isLeft) {
            super(input);
            this.right = right;
            this.isLeft = isLeft;
        }

        @Override
        public Seq<Object> getParents(int partition) {
            return CollectionConverters.asScala(List.<Object>of(isLeft ? partition / right : partition % right))
                    .toList();
        }
    }
}
