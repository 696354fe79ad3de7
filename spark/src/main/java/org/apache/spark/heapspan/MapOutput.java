package org.apache.spark.heapspan;

import java.io.File;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.zip.CheckedOutputStream;
import java.util.zip.Checksum;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.io.LZ4CompressionCodec;
import org.apache.spark.network.shuffle.checksum.ShuffleChecksumHelper;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.api.ShuffleExecutorComponents;
import org.apache.spark.shuffle.api.ShuffleMapOutputWriter;
import org.apache.spark.shuffle.api.ShufflePartitionWriter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.TimeTrackingOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a map task leaves for its reducers, by what Spark's shuffle manager writes with: compressed, encrypted and with checksums as the
 * settings of Spark say. Not thread-safe.
 *
 * <p>Relies on {@code core/.../shuffle/ShufflePartitionPairsWriter.scala} for the order of the streams, which readers undo:
 * compression, encryption, checksum, file.
 */
final class MapOutput {
    /** So many files of spilled records are open at the same time at most, and one more of a single record. */
    static final int MOST_OPEN_FILES = 64;

    /** The buffers of all these take so much at most. */
    private static final long MOST_MERGE_BYTES = 1 << 20;

    private final int shuffleId;
    private final long mapId;
    private final int partitions;
    private final Executor executor;
    private final SparkConf conf;
    private final ShuffleExecutorComponents components;
    private final ShuffleWriteMetricsReporter metrics;
    private final @Nullable Checksum checksum;

    /**
     * What it needs of the executor.
     *
     * @param conf Spark's configuration
     * @param streams compresses and encrypts
     * @param temporaryFiles makes names of files that are not there yet
     * @param server from where reducers will get the map output
     */
    record Executor(
            SparkConf conf, SerializerManager streams, Supplier<File> temporaryFiles, Supplier<BlockManagerId> server) {
        static Executor of(SparkEnv environment) {
            BlockManager blocks = environment.blockManager();
            return new Executor(
                    environment.conf(),
                    blocks.serializerManager(),
                    () -> blocks.diskBlockManager().createTempShuffleBlock()._2(),
                    blocks::shuffleServerId);
        }
    }

    MapOutput(
            int shuffleId,
            long mapId,
            int partitions,
            Executor executor,
            ShuffleExecutorComponents components,
            ShuffleWriteMetricsReporter metrics) {
        this.shuffleId = shuffleId;
        this.mapId = mapId;
        this.partitions = partitions;
        this.executor = executor;
        this.components = components;
        this.metrics = metrics;
        conf = executor.conf();
        checksum = (boolean) conf.get(package$.MODULE$.SHUFFLE_CHECKSUM_ENABLED())
                ? ShuffleChecksumHelper.getChecksumByAlgorithm(conf.get(package$.MODULE$.SHUFFLE_CHECKSUM_ALGORITHM()))
                : null;
    }

    int partitions() {
        return partitions;
    }

    /**
     * Whether Spark's own streams notice damage of every byte: blocks of LZ4 have a checksum of what is in them. Those of other codecs have
     * none.
     */
    boolean noticesDamage() {
        return isCompressed() && CompressionCodec$.MODULE$.createCodec(conf) instanceof LZ4CompressionCodec;
    }

    /**
     * Writes a file of what has been written so far, to make room.
     *
     * @throws IOException if it cannot be written; then there is none
     */
    SpilledRecords spill(PartitionedRecords records) throws IOException {
        return spill(partition -> !records.isEmpty(partition), wrapped(records::writeTo));
    }

    /**
     * Writes a file of a single record, for which there is no memory.
     *
     * @throws IOException if it cannot be written; then there is none
     */
    SpilledRecords spillLong(int partitionOfRecord, PartitionedRecords records, Object record) throws IOException {
        return spill(
                partition -> partition == partitionOfRecord,
                wrapped((partition, target) -> records.writeLong(record, target)));
    }

    /** Writes the records of a partition. */
    private interface PartitionContent {
        void writeTo(int partition, OutputStream target) throws IOException;
    }

    /** As in the map output, so that the bytes can be taken over. */
    private PartitionContent wrapped(PartitionContent content) {
        return (partition, file) -> {
            try (OutputStream stream = streams().wrapStream(block(partition), file)) {
                content.writeTo(partition, stream);
            }
        };
    }

    private SpilledRecords spill(IntPredicate hasRecords, PartitionContent content) throws IOException {
        SpilledRecords spilled = new SpilledRecords(executor.temporaryFiles().get(), partitions);
        try (SpilledRecords.Writer writer = spilled.writer(bufferBytes())) {
            for (int partition = 0; partition < partitions; partition++) {
                if (hasRecords.test(partition)) {
                    content.writeTo(partition, new Unclosed(writer));
                }
                writer.endPartition();
            }
        } catch (Throwable e) {
            spilled.delete();
            throw e;
        }
        return spilled;
    }

    /**
     * How much memory the buffers of {@link #write} would take.
     *
     * @param spills what was written to make room
     * @return bytes
     */
    long mergeBytes(List<SpilledRecords> spills) {
        return Math.min((long) Math.min(spills.size(), MOST_OPEN_FILES) * bufferBytes(), MOST_MERGE_BYTES);
    }

    /**
     * Writes the map output, from which reducers read.
     *
     * @param spills what was written to make room, in order; where there are many, some files are put together into one, which is in the list in
     *     their place then
     * @param records what was not, behind that
     * @param mergeBytes how much memory the buffers of spilled files may take
     * @return where and how large it is, by partition
     * @throws IOException if it cannot be written; then there is none
     */
    MapStatus write(List<SpilledRecords> spills, PartitionedRecords records, long mergeBytes) throws IOException {
        ShuffleMapOutputWriter output = components.createMapOutputWriter(shuffleId, mapId, partitions);
        try {
            long[] checksums = checksum == null ? ShuffleChecksumHelper.EMPTY_CHECKSUM_VALUE : new long[partitions];
            if (checksum != null) {
                checksum.reset();
                Arrays.fill(checksums, checksum.getValue());
            }
            boolean concatenates = spills.isEmpty() || compressedStreamsMayBePutTogether();
            int bufferBytes = spills.isEmpty() ? 0 : (int) (mergeBytes / Math.min(spills.size(), MOST_OPEN_FILES));
            putTogether(spills, bufferBytes, concatenates);
            try (SpilledRecords.Readers spilled = new SpilledRecords.Readers(spills, bufferBytes)) {
                for (int partition = 0; partition < partitions; partition++) {
                    if (spilled.nextPartition() || !records.isEmpty(partition)) {
                        write(partition, output.getPartitionWriter(partition), spilled, records, concatenates);
                        if (checksum != null) {
                            checksums[partition] = checksum.getValue();
                        }
                    }
                }
            }
            lengths = output.commitAllPartitions(checksums).getPartitionLengths();
            return MapStatus$.MODULE$.apply(
                    executor.server().get(), lengths, mapId, MapStatus$.MODULE$.apply$default$4());
        } catch (Throwable e) {
            try {
                output.abort(e);
            } catch (Exception further) {
                e.addSuppressed(further);
            }
            throw e;
        }
    }

    /** Puts files together until so few are left that all may be open. Those that have one partition are open one after the other. */
    private void putTogether(List<SpilledRecords> spills, int bufferBytes, boolean concatenates) throws IOException {
        int files = (int)
                spills.stream().filter(SpilledRecords::isOfSeveralPartitions).count();
        int begin = 0;
        while (files > MOST_OPEN_FILES) {
            // Neighbours, as the order of the records stays.
            int most = Math.min(files - MOST_OPEN_FILES + 1, MOST_OPEN_FILES);
            int end = begin;
            int together = 0;
            while (end < spills.size() && together < most) {
                together += spills.get(end++).isOfSeveralPartitions() ? 1 : 0;
            }
            if (together > 1) {
                List<SpilledRecords> neighbours = spills.subList(begin, end);
                SpilledRecords all = merged(neighbours, bufferBytes, concatenates);
                neighbours.forEach(SpilledRecords::delete);
                neighbours.clear();
                spills.add(begin, all);
                files -= together - 1;
            }
            // Each file once, before those that were put together are put together.
            begin = together > 1 ? begin + 1 : 0;
        }
    }

    private SpilledRecords merged(List<SpilledRecords> files, int bufferBytes, boolean concatenates)
            throws IOException {
        try (SpilledRecords.Readers readers = new SpilledRecords.Readers(files, bufferBytes)) {
            return spill(
                    partition -> readers.nextPartition(),
                    (partition, file) -> write(partition, file, readers, null, concatenates));
        }
    }

    private long[] lengths = {};

    /** Bytes by partition, once it has been written. */
    long[] lengths() {
        return lengths;
    }

    private boolean isCompressed() {
        return (boolean) conf.get(package$.MODULE$.SHUFFLE_COMPRESS());
    }

    private boolean compressedStreamsMayBePutTogether() {
        return !isCompressed()
                || CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(
                        CompressionCodec$.MODULE$.createCodec(conf));
    }

    private void write(
            int partition,
            ShufflePartitionWriter writer,
            SpilledRecords.Readers spilled,
            PartitionedRecords records,
            boolean concatenates)
            throws IOException {
        OutputStream file = new TimeTrackingOutputStream(metrics, writer.openStream());
        if (checksum != null) {
            checksum.reset();
            file = new CheckedOutputStream(file, checksum);
        }
        write(partition, file, spilled, records, concatenates);
        metrics.incBytesWritten(writer.getNumBytesWritten());
    }

    private void write(
            int partition,
            OutputStream file,
            SpilledRecords.Readers spilled,
            @Nullable PartitionedRecords records,
            boolean concatenates)
            throws IOException {
        BlockId block = block(partition);
        if (concatenates) {
            try (OutputStream encrypted = streams().wrapForEncryption(file)) {
                spilled.copyTo(encrypted, streams()::wrapForEncryption);
                if (records != null && !records.isEmpty(partition)) {
                    try (OutputStream compressed =
                            streams().wrapForCompression(block, (OutputStream) new Unclosed(encrypted))) {
                        records.writeTo(partition, compressed);
                    }
                }
            }
        } else {
            try (OutputStream compressed = streams().wrapStream(block, file)) {
                spilled.copyTo(compressed, stream -> streams().wrapStream(block, stream));
                if (records != null) {
                    records.writeTo(partition, compressed);
                }
            }
        }
    }

    private SerializerManager streams() {
        return executor.streams();
    }

    private BlockId block(int partition) {
        return new ShuffleBlockId(shuffleId, mapId, partition);
    }

    private int bufferBytes() {
        return (int) ((long) conf.get(package$.MODULE$.SHUFFLE_FILE_BUFFER_SIZE()) << 10);
    }

    /** Stays open when the stream that writes to it is closed, and waits until there is enough to write. */
    private static final class Unclosed extends FilterOutputStream {
        Unclosed(OutputStream target) {
            super(target);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void flush() {
            // Whoever closes the stream below flushes it.
        }

        @Override
        public void close() {
            flush();
        }
    }
}
