package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter;
import org.apache.spark.shuffle.api.ShufflePartitionWriter;
import org.apache.spark.shuffle.api.metadata.MapOutputCommitMessage;
import org.jspecify.annotations.Nullable;

/** What is behind Spark's shuffle manager: a block for each partition. */
final class KeptBlocks implements ShuffleExecutorComponents, ShuffleMapOutputWriter {
    final ByteArrayOutputStream[] blocks;
    long[] checksums = {};
    int failingPartition = -1;
    boolean committed;

    @Nullable
    Throwable aborted;

    KeptBlocks(int partitions) {
        blocks = new ByteArrayOutputStream[partitions];
    }

    @Override
    public void initializeExecutor(String application, String executor, Map<String, String> settings) {}

    @Override
    public ShuffleMapOutputWriter createMapOutputWriter(int shuffle, long map, int partitions) {
        assertThat(shuffle).isEqualTo(MapOutputTest.SHUFFLE);
        assertThat(map).isEqualTo(MapOutputTest.MAP);
        assertThat(partitions).isEqualTo(blocks.length);
        for (int i = 0; i < partitions; i++) {
            blocks[i] = new ByteArrayOutputStream();
        }
        return this;
    }

    @Override
    public ShufflePartitionWriter getPartitionWriter(int partition) {
        return new ShufflePartitionWriter() {
            @Override
            public OutputStream openStream() {
                return new FilterOutputStream(blocks[partition]) {
                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        if (partition == failingPartition) {
                            throw new IOException("No space left on device");
                        }
                        out.write(bytes, offset, length);
                    }
                };
            }

            @Override
            public long getNumBytesWritten() {
                return blocks[partition].size();
            }
        };
    }

    @Override
    public MapOutputCommitMessage commitAllPartitions(long[] given) {
        checksums = given;
        committed = true;
        long[] lengths = new long[blocks.length];
        for (int i = 0; i < lengths.length; i++) {
            lengths[i] = blocks[i].size();
        }
        return MapOutputCommitMessage.of(lengths);
    }

    @Override
    public void abort(Throwable cause) {
        aborted = cause;
    }
}
