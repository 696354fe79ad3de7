package org.apache.spark.heapspan;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CheckedOutputStream;
import java.util.zip.Checksum;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.network.shuffle.checksum.ShuffleChecksumHelper;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter;
import org.apache.spark.shuffle.api.ShufflePartitionWriter;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.TimeTrackingOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The map output of a task that writes bytes for one reducer after the other: compressed, encrypted and with checksums as the settings of Spark say.
 * Not thread-safe.
 *
 * <p>The order of the streams is that of {@link MapOutput}, which relies on the same files of Spark.
 */
public final class BlockMapOutput {
    private final int shuffleId;
    private final long mapId;
    private final MapOutput.Executor executor;
    private final ShuffleMapOutputWriter output;
    private final ShuffleWriteMetricsReporter metrics;
    private final @Nullable Checksum checksum;
    private final long[] checksums;
    private final boolean compressed;

    private int partition = -1;
    private @Nullable ShufflePartitionWriter writer;
    private @Nullable OutputStream stream;

    BlockMapOutput(
            int shuffleId,
            long mapId,
            int partitions,
            MapOutput.Executor executor,
            ShuffleExecutorComponents components,
            ShuffleWriteMetricsReporter metrics)
            throws IOException {
        this.shuffleId = shuffleId;
        this.mapId = mapId;
        this.executor = executor;
        this.metrics = metrics;
        SparkConf conf = executor.conf();
        checksum = (boolean) conf.get(package$.MODULE$.SHUFFLE_CHECKSUM_ENABLED())
                ? ShuffleChecksumHelper.getChecksumByAlgorithm(conf.get(package$.MODULE$.SHUFFLE_CHECKSUM_ALGORITHM()))
                : null;
        checksums = checksum == null ? ShuffleChecksumHelper.EMPTY_CHECKSUM_VALUE : new long[partitions];
        if (checksum != null) {
            Arrays.fill(checksums, checksum.getValue());
        }
        compressed = (boolean) conf.get(package$.MODULE$.SHUFFLE_COMPRESS());
        output = components.createMapOutputWriter(shuffleId, mapId, partitions);
    }

    /**
     * Where the bytes for a reducer go.
     *
     * @param reducer its number, not below that of the call before
     * @return a stream, valid until another reducer is asked for; not to be closed
     * @throws IOException if it cannot be written
     */
    public OutputStream streamFor(int reducer) throws IOException {
        if (reducer < partition) {
            throw new IllegalArgumentException("the map side writes for reducer " + reducer + " after " + partition
                    + ", expected an ascending order");
        }
        OutputStream open = stream;
        if (open == null || reducer != partition) {
            endPartition();
            open = open(reducer);
        }
        return open;
    }

    /**
     * Whether Spark compresses what is written.
     *
     * @return {@code spark.shuffle.compress}
     */
    public boolean isCompressed() {
        return compressed;
    }

    /** Counts records that were written. */
    public void countRecord() {
        metrics.incRecordsWritten(1);
    }

    private OutputStream open(int reducer) throws IOException {
        partition = reducer;
        ShufflePartitionWriter opened = output.getPartitionWriter(reducer);
        writer = opened;
        OutputStream file = new TimeTrackingOutputStream(metrics, opened.openStream());
        if (checksum != null) {
            checksum.reset();
            file = new CheckedOutputStream(file, checksum);
        }
        OutputStream wrapped = executor.streams()
                .wrapStream(new ShuffleBlockId(shuffleId, mapId, reducer), (OutputStream) new WholeWrites(file));
        stream = wrapped;
        return wrapped;
    }

    private void endPartition() throws IOException {
        OutputStream open = stream;
        ShufflePartitionWriter written = writer;
        if (open != null && written != null) {
            stream = null;
            writer = null;
            open.close();
            if (checksum != null) {
                checksums[partition] = checksum.getValue();
            }
            metrics.incBytesWritten(written.getNumBytesWritten());
        }
    }

    MapStatus commit() throws IOException {
        endPartition();
        long[] lengths = output.commitAllPartitions(checksums).getPartitionLengths();
        return MapStatus$.MODULE$.apply(executor.server().get(), lengths, mapId, MapStatus$.MODULE$.apply$default$4());
    }

    void abort(Throwable why) {
        OutputStream open = stream;
        stream = null;
        if (open != null) {
            try {
                // Compressors have memory outside of the heap.
                open.close();
            } catch (IOException | RuntimeException e) {
                why.addSuppressed(e);
            }
        }
        try {
            output.abort(why);
        } catch (IOException e) {
            why.addSuppressed(e);
        }
    }

    /** {@link FilterOutputStream} itself writes byte by byte. */
    private static final class WholeWrites extends FilterOutputStream {
        WholeWrites(OutputStream target) {
            super(target);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }
    }
}
