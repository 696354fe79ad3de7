package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import org.apache.spark.SparkConf;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Option;

/** With Spark's streams; what is behind them is kept in memory here. */
@Tag("once")
final class BlockMapOutputTest {
    private static final int PARTITIONS = 3;
    private static final BlockManagerId SERVER =
            BlockManagerId$.MODULE$.apply("1", "red", 7337, Option.<String>empty());

    private final KeptBlocks stored = new KeptBlocks(PARTITIONS);

    private BlockMapOutput output() throws IOException {
        SparkConf conf = new SparkConf(false).set("spark.io.compression.codec", CountingCodec.class.getName());
        return new BlockMapOutput(
                MapOutputTest.SHUFFLE,
                MapOutputTest.MAP,
                PARTITIONS,
                new MapOutput.Executor(
                        conf,
                        new SerializerManager(new JavaSerializer(conf), conf, Option.<byte[]>empty()),
                        () -> new File("not used"),
                        () -> SERVER),
                stored,
                TaskMetrics.empty().shuffleWriteMetrics());
    }

    @Test
    void bytesArriveByReducer() throws Exception {
        BlockMapOutput output = output();
        output.streamFor(0).write(new byte[] {1, 2});
        output.streamFor(0).write(new byte[] {3});
        output.streamFor(2).write(new byte[] {4});
        assertThat(output.commit().location()).isEqualTo(SERVER);
        assertThat(stored.committed).isTrue();
        assertThat(stored.blocks[0].toByteArray()).containsExactly(1, 2, 3);
        assertThat(stored.blocks[1].toByteArray()).isEmpty();
        assertThat(stored.blocks[2].toByteArray()).containsExactly(4);
        assertThat(CountingCodec.OPEN).hasValue(0);
    }

    @Test
    void aTaskThatIsKilledClosesTheCompressorOfItsReducer() throws Exception {
        BlockMapOutput output = output();
        output.streamFor(0).write(1);
        output.streamFor(1).write(2);
        assertThat(CountingCodec.OPEN).hasValue(1);
        Exception why = new Exception("killed");
        output.abort(why);
        assertThat(CountingCodec.OPEN).hasValue(0);
        assertThat(stored.aborted).isSameAs(why);
        assertThat(stored.committed).isFalse();
    }
}
