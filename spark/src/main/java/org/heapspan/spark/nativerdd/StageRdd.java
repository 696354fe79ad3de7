package org.heapspan.spark.nativerdd;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.Dependency;
import org.apache.spark.NarrowDependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.heapspan.StoredBlocks;
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

    /**
     * For several inputs: where all of them are, otherwise where any is. Executors that keep an input come before the hosts of files. An input without a
     * place does not count. For one input Spark finds them itself, also in its cache, if there are none here.
     */
    @Override
    public Seq<String> getPreferredLocations(Partition partition) {
        RDD<?>[] inputs = inputs();
        List<List<String>> places = new ArrayList<>();
        for (int i = 0; inputs.length > 1 && i < inputs.length; i++) {
            places.add(places(inputs[i], ((StagePartition) partition).input(i).index(), new HashSet<>()));
        }
        boolean anyIsKept = places.stream().flatMap(List::stream).anyMatch(StoredBlocks::isExecutor);
        places.removeIf(each -> each.isEmpty() || anyIsKept && !StoredBlocks.isExecutor(each.get(0)));
        Set<String> all = new LinkedHashSet<>();
        places.forEach(all::addAll);
        List<String> common = new ArrayList<>(all);
        places.forEach(common::retainAll);
        return CollectionConverters.asScala(common.isEmpty() ? List.copyOf(all) : common)
                .toList();
    }

    /**
     * Where Spark would compute a partition: in its cache, else where the RDD says, else where its inputs say. Spark cannot be asked, because it would ask
     * each stage of several inputs on the way for all of its inputs. In a loop that joins an RDD with what was made of it, this would never end.
     *
     * @param seen partitions that were looked at
     */
    private static List<String> places(RDD<?> rdd, int partition, Set<List<Integer>> seen) {
        if (!seen.add(List.of(rdd.id(), partition))) {
            return List.of();
        }
        List<String> places = StoredBlocks.executorsOf(rdd, partition);
        if (places.isEmpty() && !(rdd instanceof StageRdd)) {
            places = CollectionConverters.asJava(rdd.preferredLocations(rdd.partitions()[partition]));
        }
        for (Dependency<?> dependency : CollectionConverters.asJava(rdd.dependencies())) {
            if (places.isEmpty() && dependency instanceof NarrowDependency<?> narrow) {
                for (Object parent : CollectionConverters.asJava(narrow.getParents(partition))) {
                    places = places.isEmpty() ? places(narrow.rdd(), (int) parent, seen) : places;
                }
            }
        }
        return places;
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
