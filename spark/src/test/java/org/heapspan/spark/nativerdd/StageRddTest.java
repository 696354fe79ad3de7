package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.heapspan.EstimatorFirst;
import org.apache.spark.heapspan.LocalConf;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.StorageLevel;
import org.heapspan.nativerdd.NativeProgramException;
import org.heapspan.nativerdd.ProgramHost;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Enumeration;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** What Spark is told about native stages: which hosts their tasks prefer, and whether a partition that is computed again is the same. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class StageRddTest {
    @TempDir
    static Path folder;

    private static SparkContext spark;

    @BeforeAll
    static void start() {
        spark = new SparkContext(LocalConf.of(folder, "stages"));
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static Seq<String> hosts(String names) {
        return CollectionConverters.asScala(Arrays.stream(names.split(" "))
                        .filter(name -> !name.isEmpty())
                        .toList())
                .toList();
    }

    /** One partition for each text, which names its hosts. */
    private static RDD<RddBatch> input(String... partitions) {
        List<Tuple2<RddBatch, Seq<String>>> elements = Arrays.stream(partitions)
                .map(names -> new Tuple2<RddBatch, Seq<String>>(null, hosts(names)))
                .toList();
        return spark.makeRDD(CollectionConverters.asScala(elements).toList(), RddBatch.TAG);
    }

    private static StageRdd stage(boolean cartesian, List<RDD<RddBatch>> inputs) {
        return stage(cartesian, 0, inputs);
    }

    private static StageRdd stage(boolean cartesian, int order, List<RDD<RddBatch>> inputs) {
        StageCode code = new StageCode(null, 0, "map", new byte[0], null, 0, null);
        return new StageRdd(spark, code, cartesian, order, inputs);
    }

    private static Enumeration.Value level(int order, RDD<RddBatch> input) {
        return stage(false, order, List.of(input)).outputDeterministicLevel();
    }

    /** Where Spark's scheduler would run a task. */
    private static List<String> preferred(RDD<?> rdd, int partition) {
        return CollectionConverters.asJava(spark.getPreferredLocs(rdd, partition)).stream()
                .map(Object::toString)
                .toList();
    }

    /** Persists an RDD and computes it, so that this JVM keeps it. */
    private static RDD<RddBatch> cached(RDD<RddBatch> rdd) {
        rdd.persist(StorageLevel.MEMORY_ONLY());
        rdd.count();
        // The scheduler asks anew where partitions are when a job begins.
        rdd.count();
        return rdd;
    }

    private static String thisExecutor() {
        return "executor_" + SparkEnv.get().blockManager().blockManagerId().host() + "_driver";
    }

    @Test
    void aStageOfOneInputPrefersItsHosts() {
        StageRdd stage = stage(false, List.of(input("a b", "", "c")));
        assertThat(preferred(stage, 0)).containsExactly("a", "b");
        assertThat(preferred(stage, 1)).isEmpty();
        assertThat(preferred(stage, 2)).containsExactly("c");
    }

    @Test
    void whoKeepsAnInputIsPreferredToItsHosts() {
        RDD<RddBatch> cached = cached(input("a b", "c"));
        assertThat(preferred(stage(false, List.of(cached)), 1)).containsExactly(thisExecutor());
        assertThat(preferred(stage(false, List.of(stage(false, List.of(cached)))), 1))
                .containsExactly(thisExecutor());
        assertThat(preferred(new ApplicationRdd(cached, BatchesOfLines::new, "input"), 1))
                .containsExactly(thisExecutor());
    }

    @Test
    void whoKeepsOneOfSeveralInputsIsPreferredToTheHostsOfOthers() {
        RDD<RddBatch> cached = cached(input("a", "b"));
        RDD<RddBatch> files = input("a", "c");
        for (List<RDD<RddBatch>> inputs : List.of(
                List.of(cached, files), List.of(files, cached), List.of(files, stage(false, List.of(cached))))) {
            assertThat(preferred(stage(false, inputs), 1)).containsExactly(thisExecutor());
        }
        assertThat(preferred(stage(true, List.of(cached, files)), 3)).containsExactly(thisExecutor());
        cached.unpersist(true);
        files.count();
        assertThat(preferred(stage(false, List.of(cached, files)), 0)).containsExactly("a");
    }

    /** How often it was asked for its hosts, of which it knows none. */
    private static final class AskedRdd extends BatchRdd {
        private static final long serialVersionUID = 1L;
        private static final AtomicLong TIMES = new AtomicLong();

        AskedRdd() {
            super(spark, CollectionConverters.asScala(List.<Dependency<?>>of()).toList());
        }

        @Override
        public Partition[] getPartitions() {
            return new Partition[] {() -> 0};
        }

        @Override
        public Seq<String> getPreferredLocations(Partition partition) {
            TIMES.incrementAndGet();
            return super.getPreferredLocations(partition);
        }

        @Override
        Iterator<RddBatch> batches(Partition partition, TaskContext context) {
            throw new UnsupportedOperationException("no job reads it");
        }
    }

    /** As a loop that joins an RDD with what was made of it. */
    @Test
    void inputsThatComeFromTheSameAreAskedFewTimes() {
        RDD<RddBatch> last = new AskedRdd();
        int stages = 15;
        for (int i = 0; i < stages; i++) {
            last = stage(false, List.of(last, stage(false, List.of(last))));
        }
        assertThat(preferred(last, 0)).isEmpty();
        assertThat(AskedRdd.TIMES.get()).isBetween(1L, 4L * stages);
    }

    @Test
    void aStageOfSeveralPrefersHostsThatHaveAllOfThemOrElseAny() {
        StageRdd stage = stage(false, List.of(input("a b", "a"), input("b c", "b")));
        assertThat(preferred(stage, 0)).containsExactly("b");
        assertThat(preferred(stage, 1)).containsExactly("a", "b");
        assertThat(preferred(stage(false, List.of(input("a b"), input(""), input("b"))), 0))
                .containsExactly("b");
    }

    @Test
    void tooManyPairsOfPartitionsAreAnError() {
        RDD<RddBatch> input =
                spark.makeRDD(CollectionConverters.asScala(List.<RddBatch>of()).toList(), 1 << 16, RddBatch.TAG);
        assertThatThrownBy(stage(true, List.of(input, input))::getNumPartitions)
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining("a cartesian product of 65536 and 65536 partitions has 4294967296");
    }

    @Test
    void aPairOfPartitionsPrefersTheHostsOfBoth() {
        StageRdd stage = stage(true, List.of(input("a b", "c"), input("b", "d")));
        assertThat(stage.getNumPartitions()).isEqualTo(4);
        assertThat(preferred(stage, 0)).containsExactly("b");
        assertThat(preferred(stage, 1)).containsExactly("a", "b", "d");
        assertThat(preferred(stage, 3)).containsExactly("c", "d");
    }

    @Test
    void aPartitionThatIsComputedAgainMayBeAnotherOneIfItsOrderDependsOnMemory() {
        RDD<RddBatch> same = input("a");
        assertThat(level(0, same)).isEqualTo(DeterministicLevel.DETERMINATE());
        assertThat(level(ProgramHost.READS_ORDER, same)).isEqualTo(DeterministicLevel.DETERMINATE());
        assertThat(level(ProgramHost.VARIES_ORDER, same)).isEqualTo(DeterministicLevel.UNORDERED());
        assertThat(level(ProgramHost.READS_ORDER + ProgramHost.VARIES_ORDER, same))
                .isEqualTo(DeterministicLevel.UNORDERED());
        assertThat(level(ProgramHost.READS_ORDER + ProgramHost.VARIES_ORDER + ProgramHost.READS_VARIED_ORDER, same))
                .isEqualTo(DeterministicLevel.INDETERMINATE());

        RDD<RddBatch> unordered = stage(false, ProgramHost.VARIES_ORDER, List.of(same));
        assertThat(level(0, unordered)).isEqualTo(DeterministicLevel.UNORDERED());
        assertThat(level(ProgramHost.VARIES_ORDER, unordered)).isEqualTo(DeterministicLevel.UNORDERED());
        assertThat(level(ProgramHost.READS_ORDER, unordered)).isEqualTo(DeterministicLevel.INDETERMINATE());
        RDD<RddBatch> indeterminate = stage(false, ProgramHost.READS_ORDER, List.of(unordered));
        assertThat(level(0, indeterminate)).isEqualTo(DeterministicLevel.INDETERMINATE());
        assertThat(level(ProgramHost.VARIES_ORDER, indeterminate)).isEqualTo(DeterministicLevel.INDETERMINATE());
    }
}
