package org.heapspan.spark.nativerdd;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaRDDLike;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.AccumulatorV2;
import org.apache.spark.util.CallSite;
import org.apache.spark.util.DoubleAccumulator;
import org.apache.spark.util.LongAccumulator;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgram;
import org.heapspan.nativerdd.NativeProgramException;
import org.heapspan.nativerdd.ProgramHost;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;
import scala.runtime.BoxedUnit;

/** What the driver side of a native program calls on Spark: nodes are RDDs. For the thread that runs the program. */
final class ProgramDriver implements ProgramHost {
    /** Begins the names of RDDs that the application and the program exchange. */
    private static final String OF_APPLICATION = "rdd:";

    private final SparkContext context;
    private final ShippedProgram program;
    private final String name;

    private final Map<Long, RDD<RddBatch>> nodes = new HashMap<>();
    private final Map<Long, SentBytes> broadcasts = new HashMap<>();
    private final Map<Long, AccumulatorV2<?, ?>> accumulators = new HashMap<>();
    private final Map<String, ?> inputs;
    private final NativeResults results = new NativeResults();
    private long lastNode;

    private ProgramDriver(SparkContext context, ShippedProgram program, String name, Map<String, ?> inputs) {
        this.inputs = inputs;
        this.context = context;
        this.program = program;
        this.name = name;
    }

    /** Runs a program; returns what it gave the application. */
    static NativeResults run(SparkContext context, Path file, Map<String, ?> inputs, List<String> arguments) {
        ShippedProgram shipped = ShippedProgram.send(context, file);
        // The file that executors load, too. The one of the user may become another program, and the loader of the
        // system takes a file for the one that it has loaded from the same path before.
        NativeProgram loaded = shipped.load();
        CrashedStages.watch(context);
        ProgramDriver driver = new ProgramDriver(context, shipped, loaded.name(), inputs);
        String before = context.getLocalProperty(CallSite.SHORT_FORM());
        try {
            loaded.run(driver, context.defaultParallelism(), arguments);
            return driver.results;
        } finally {
            context.setLocalProperty(CallSite.SHORT_FORM(), before);
        }
    }

    private long add(RDD<RddBatch> rdd) {
        nodes.put(++lastNode, rdd);
        return lastNode;
    }

    private RDD<RddBatch> node(long number) {
        RDD<RddBatch> node = nodes.get(number);
        if (node == null) {
            throw new NativeProgramException("the program uses the node " + number + " after it has released it");
        }
        return node;
    }

    private List<RDD<RddBatch>> nodes(long[] numbers) {
        return Arrays.stream(numbers).mapToObj(this::node).toList();
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** What Spark's user interface says of RDDs, stages and jobs that are made now. */
    private void announce(String what) {
        context.setCallSite(what + " at " + name);
    }

    @Override
    public long textFile(byte[] path, int minPartitions) {
        announce("text_file");
        String place = text(path);
        if (!place.startsWith(OF_APPLICATION)) {
            return add(FileRdd.ofLines(context, place, minPartitions));
        }
        return add(new ApplicationRdd(
                ofApplication(place.substring(OF_APPLICATION.length())), BatchesOfLines::new, "lines of an RDD"));
    }

    @Override
    public long input(byte[] label, byte[] typeText) {
        announce("input");
        String input = text(label);
        ValueType type = ValueType.parse(text(typeText));
        if (inputs.get(input) instanceof Dataset<?> table) {
            return add(Tables.read(input, type, table));
        }
        return add(new ApplicationRdd(
                ofApplication(input), values -> new BatchesOfValues(input, type, values), "input " + input));
    }

    @Override
    public void output(long node, byte[] label, byte[] typeText) {
        results.put(text(label), node(node), ValueType.parse(text(typeText)));
    }

    @Override
    public long parquetFile(byte[] path, byte[][] columns, byte[] typeText) {
        announce("parquet_file");
        String place = text(path);
        return add(Tables.read(
                place,
                ValueType.parse(text(typeText)),
                Tables.ofParquet(SparkSession.builder().getOrCreate(), place, texts(columns))));
    }

    @Override
    public void saveParquet(long node, byte[] path, byte[][] columns, byte[] typeText) {
        announce("save_as_parquet");
        String place = text(path);
        ValueType type = ValueType.parse(text(typeText));
        Tables.make(SparkSession.builder().getOrCreate(), place, type, node(node), texts(columns))
                .write()
                .parquet(place);
    }

    private static List<String> texts(byte[][] utf8) {
        return Arrays.stream(utf8).map(ProgramDriver::text).toList();
    }

    private RDD<?> ofApplication(String input) {
        Object given = inputs.get(input);
        if (given == null) {
            throw new NativeProgramException(
                    "the program reads " + input + ", and the application gave it only " + inputs.keySet());
        }
        return rdd(input, given);
    }

    /**
     * What an application gives a program as an RDD.
     *
     * @throws NativeProgramException if it is none
     */
    static RDD<?> rdd(String input, Object given) {
        if (given instanceof RDD<?> rdd) {
            return rdd;
        }
        if (given instanceof JavaRDDLike<?, ?> rdd) {
            return rdd.rdd();
        }
        if (given instanceof Dataset<?> dataset) {
            return dataset.rdd();
        }
        throw new NativeProgramException("the input " + input
                + " of a native program is an RDD, JavaRDD, JavaPairRDD or Dataset, not "
                + given.getClass().getName());
    }

    @Override
    public long binaryRecords(byte[] path, int recordBytes, int minPartitions) {
        announce("binary_records");
        return add(FileRdd.ofRecords(context, text(path), Integer.toUnsignedLong(recordBytes), minPartitions));
    }

    @Override
    public long parallelize(long[] ranges) {
        announce("parallelize");
        List<byte[]> contents = new ArrayList<>();
        for (int i = 0; i < ranges.length; i += 2) {
            contents.add(NativeBatch.bytesAt(ranges[i], ranges[i + 1]));
        }
        return add(new MadeRdd(context, contents));
    }

    private StageRdd stage(StagePlan plan) {
        announce(plan.operators());
        byte[] captures = NativeBatch.bytesAt(plan.capturesAddress(), plan.capturesSizeBytes());
        boolean large = captures.length > StageCode.LARGE_CAPTURES_BYTES;
        StageCode code = StageCode.of(
                program,
                plan,
                large ? new byte[0] : captures,
                large ? SentBytes.send(context, captures) : null,
                new SharedValues(Map.copyOf(broadcasts), Map.copyOf(accumulators)));
        return new StageRdd(context, code, plan.cartesian(), plan.order(), nodes(plan.inputs()));
    }

    @Override
    public long stage(byte[] operators, long[] values, long[] inputs) {
        return add(stage(StagePlan.of(operators, values, inputs)));
    }

    @Override
    public long shuffle(byte[] operators, long[] values, long[] inputs) {
        StagePlan plan = StagePlan.of(operators, values, inputs);
        if (plan.outputPartitions() <= 0) {
            throw new NativeProgramException(
                    "a shuffle has " + plan.outputPartitions() + " partitions, expected at least 1");
        }
        ShuffledBatchRdd shuffled = new ShuffledBatchRdd(stage(plan), plan.outputPartitions());
        shuffled.setName("shuffle of " + plan.operators());
        return add(shuffled);
    }

    @Override
    public long unionOf(long[] inputs) {
        announce("union");
        return add(new UnionBatchRdd(context, nodes(inputs)));
    }

    @Override
    public long coalesce(long input, int partitions) {
        announce("coalesce");
        return add(new CoalescedBatchRdd(node(input), partitions));
    }

    @Override
    public int partitionCount(long node) {
        return node(node).getNumPartitions();
    }

    @Override
    public void persist(long node, int level) {
        node(node)
                .persist(
                        switch (level) {
                            case MEMORY -> StorageLevel.MEMORY_ONLY();
                            case MEMORY_AND_DISK -> StorageLevel.MEMORY_AND_DISK();
                            case DISK -> StorageLevel.DISK_ONLY();
                            default -> throw new NativeProgramException("there is no storage level " + level);
                        });
    }

    @Override
    public void unpersist(long node) {
        node(node).unpersist(false);
    }

    @Override
    public void checkpoint(long node) {
        node(node).checkpoint();
    }

    @Override
    public void release(long node) {
        nodes.remove(node);
    }

    @Override
    public int collect(long node, int[] partitions, long receiver, long function) {
        RDD<RddBatch> rdd = node(node);
        announce("collect");
        byte[][][] results = new byte[partitions.length][][];
        ClassTag<byte[][]> tag = ClassTag$.MODULE$.apply(byte[][].class);
        context.runJob(
                rdd,
                new CollectBatches(),
                CollectionConverters.asScala(Arrays.stream(partitions)
                                .<Object>mapToObj(each -> each)
                                .toList())
                        .toList(),
                new AbstractFunction2<Object, byte[][], BoxedUnit>() {
                    @Override
                    public BoxedUnit apply(Object index, byte[][] batches) {
                        results[(int) index] = batches;
                        return BoxedUnit.UNIT;
                    }
                },
                tag);
        for (int i = 0; i < results.length; i++) {
            byte[][] batches = results[i];
            results[i] = new byte[0][];
            for (byte[] each : batches) {
                try (NativeBatch batch = NativeBatch.copyOf(each)) {
                    int status = NativeProgram.receive(function, receiver, partitions[i], batch);
                    if (status != 0) {
                        return status;
                    }
                }
            }
        }
        return 0;
    }

    @Override
    public void save(long node, byte[] path) {
        announce("save");
        String place = text(path);
        if (place.startsWith(OF_APPLICATION)) {
            results.putLines(place.substring(OF_APPLICATION.length()), node(node));
            return;
        }
        JavaPairRDD<NullWritable, RddBatch> pairs =
                JavaRDD.fromRDD(node(node), RddBatch.TAG).mapToPair(batch -> new Tuple2<>(NullWritable.get(), batch));
        pairs.saveAsHadoopFile(
                place,
                NullWritable.class,
                RddBatch.class,
                BatchOutputFormat.class,
                new JobConf(context.hadoopConfiguration()));
    }

    @Override
    public long broadcast(long address, long sizeBytes) {
        SentBytes sent = SentBytes.send(context, NativeBatch.bytesAt(address, sizeBytes));
        broadcasts.put(sent.number(), sent);
        return sent.number();
    }

    @Override
    public void destroyBroadcast(long number) {
        SentBytes sent = broadcasts.remove(number);
        if (sent != null) {
            sent.broadcast().destroy();
        }
    }

    @Override
    public void releaseBroadcast(long number) {
        // Stages have it, until Spark finds that they are not there any more.
        broadcasts.remove(number);
    }

    @Override
    public long accumulator(byte[] label, int kind) {
        AccumulatorV2<?, ?> accumulator =
                kind == SUM_OF_DOUBLES ? context.doubleAccumulator(text(label)) : context.longAccumulator(text(label));
        accumulators.put(accumulator.id(), accumulator);
        return accumulator.id();
    }

    @Override
    public long accumulatorValue(long number) {
        @Nullable AccumulatorV2<?, ?> accumulator = accumulators.get(number);
        if (accumulator instanceof LongAccumulator sum) {
            return sum.value();
        }
        if (accumulator instanceof DoubleAccumulator sum) {
            return Double.doubleToRawLongBits(sum.value());
        }
        throw new NativeProgramException("the program has no accumulator " + number);
    }
}
