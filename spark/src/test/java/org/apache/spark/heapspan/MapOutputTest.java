package org.apache.spark.heapspan;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.security.CryptoStreamUtils$;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.apache.spark.storage.ShuffleBlockId;
import org.heapspan.spark.HeapspanSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import scala.Option;
import scala.Tuple2;

/** What reducers get, by Spark's streams, of what was written with and without spills; the files themselves are kept in memory here. */
@Tag("once")
final class MapOutputTest {
    static final int SHUFFLE = 3;
    static final long MAP = 14;
    private static final int PARTITIONS = 6;
    private static final BlockManagerId SERVER =
            BlockManagerId$.MODULE$.apply("1", "red", 7337, Option.<String>empty());

    @TempDir
    Path folder;

    /** Streams of it cannot be put one behind the other: what follows the first one is not read. */
    public static final class Deflate implements CompressionCodec {
        /** Called by Spark. */
        public Deflate(SparkConf conf) {}

        @Override
        public OutputStream compressedOutputStream(OutputStream target) {
            return new DeflaterOutputStream(target);
        }

        @Override
        public InputStream compressedInputStream(InputStream source) {
            return new InflaterInputStream(source);
        }
    }

    /** The same, and it looks how many files of spilled records are open. */
    public static final class Watching implements CompressionCodec {
        static final AtomicInteger MOST_OPEN = new AtomicInteger();

        private final Deflate codec;

        /** Called by Spark. */
        public Watching(SparkConf conf) {
            codec = new Deflate(conf);
        }

        @Override
        public OutputStream compressedOutputStream(OutputStream target) {
            return codec.compressedOutputStream(target);
        }

        @Override
        public InputStream compressedInputStream(InputStream source) {
            MOST_OPEN.accumulateAndGet(openSpills(), Math::max);
            return codec.compressedInputStream(source);
        }

        private static int openSpills() {
            int open = 0;
            for (String descriptor : requireNonNull(new File("/proc/self/fd").list())) {
                try {
                    open += Files.readSymbolicLink(Path.of("/proc/self/fd", descriptor))
                                    .toString()
                                    .contains("/spill ")
                            ? 1
                            : 0;
                } catch (IOException e) {
                    // Closed meanwhile.
                }
            }
            return open;
        }
    }

    static Stream<Map<String, String>> settings() {
        List<Map<String, String>> settings = new ArrayList<>();
        for (String encrypted : List.of("false", "true")) {
            for (String codec : List.of("lz4", "zstd", "lzf", Deflate.class.getName())) {
                settings.add(Map.of("spark.io.encryption.enabled", encrypted, "spark.io.compression.codec", codec));
            }
            settings.add(Map.of("spark.io.encryption.enabled", encrypted, "spark.shuffle.compress", "false"));
        }
        settings.add(Map.of("spark.shuffle.checksum.algorithm", "CRC32C"));
        settings.add(Map.of("spark.shuffle.checksum.enabled", "false"));
        return settings.stream();
    }

    private static SparkConf conf(Map<String, String> settings) {
        SparkConf conf = new SparkConf(false).set("spark.heapspan.groupBytes", "1k");
        settings.forEach(conf::set);
        return conf;
    }

    /** All that a test needs. */
    private final class Task {
        final HeapspanSerializer serializer;
        final SerializerManager streams;
        final KeptBlocks stored = new KeptBlocks(PARTITIONS);
        final Written written = new Written();
        final MapOutput output;
        final PartitionedRecords records;
        final List<SpilledRecords> spills = new ArrayList<>();
        private int files;
        final List<List<Object>> expected = new ArrayList<>();

        Task(Map<String, String> settings) {
            SparkConf conf = conf(settings);
            serializer = new HeapspanSerializer(conf);
            boolean encrypts = conf.getBoolean("spark.io.encryption.enabled", false);
            streams = new SerializerManager(
                    serializer,
                    conf,
                    encrypts ? Option.apply(CryptoStreamUtils$.MODULE$.createKey(conf)) : Option.<byte[]>empty());
            output = new MapOutput(
                    SHUFFLE,
                    MAP,
                    PARTITIONS,
                    new MapOutput.Executor(conf, streams, this::temporaryFile, () -> SERVER),
                    stored,
                    written);
            records = serializer.partitionedRecords(PARTITIONS, true, bytes -> true);
            for (int i = 0; i < PARTITIONS; i++) {
                expected.add(new ArrayList<>());
            }
        }

        private File temporaryFile() {
            return folder.resolve("spill " + files++).toFile();
        }

        /** Records for some partitions: the third one never gets any. */
        void write(int count, int... partitions) {
            for (int i = 0; i < count; i++) {
                int partition = partitions[i % partitions.length];
                Tuple2<String, Integer> record = new Tuple2<>("record " + i % 50, spills.size() * 100_000 + i);
                records.write(partition, record);
                expected.get(partition).add(record);
            }
        }

        void spill() throws IOException {
            spills.add(output.spill(records));
            records.clear();
        }

        void spillLong(int partition, String record) throws IOException {
            spills.add(output.spillLong(partition, records, record));
            expected.get(partition).add(record);
        }

        MapStatus finish() throws IOException {
            return output.write(spills, records, output.mergeBytes(spills));
        }

        List<Object> read(int partition) {
            byte[] block = stored.blocks[partition].toByteArray();
            List<Object> arrived = new ArrayList<>();
            if (block.length > 0) {
                serializer
                        .newInstance()
                        .deserializeStream(streams.wrapStream(
                                new ShuffleBlockId(SHUFFLE, MAP, partition), new ByteArrayInputStream(block)))
                        .asIterator()
                        .foreach(arrived::add);
            }
            return arrived;
        }

        void assertAllArrives() {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertThat(read(partition)).as("partition %d", partition).isEqualTo(expected.get(partition));
            }
        }
    }

    private static final class Written implements ShuffleWriteMetricsReporter {
        long bytes;

        @Override
        public void incBytesWritten(long count) {
            bytes += count;
        }

        @Override
        public void incRecordsWritten(long count) {}

        @Override
        public void incWriteTime(long nanos) {}

        @Override
        public void decBytesWritten(long count) {
            bytes -= count;
        }

        @Override
        public void decRecordsWritten(long count) {}
    }

    @ParameterizedTest
    @MethodSource("settings")
    void reducersGetWhatIsInMemory(Map<String, String> settings) throws Exception {
        Task task = new Task(settings);
        task.write(2000, 0, 1, 4);
        MapStatus status = task.finish();
        task.assertAllArrives();
        assertThat(status.location()).isEqualTo(SERVER);
        assertThat(status.mapId()).isEqualTo(MAP);
        checkFigures(task, settings, status);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void reducersGetWhatWasSpilledBeforeWhatWasNot(Map<String, String> settings) throws Exception {
        Task task = new Task(settings);
        // Partitions with records in both files and in memory, in some of them, and in none.
        task.write(1000, 0, 1, 3);
        task.spill();
        task.write(1000, 1, 4);
        task.spill();
        task.spillLong(1, "a record for which there was no memory");
        task.spillLong(5, "another one");
        task.write(1000, 1, 3, 5);
        MapStatus status = task.finish();
        task.assertAllArrives();
        checkFigures(task, settings, status);
        assertThat(task.spills)
                .allSatisfy(spill -> assertThat(spill.sizeBytes()).isPositive());
    }

    /** So many that their files may not all be open. */
    @ParameterizedTest
    @MethodSource("settings")
    void reducersGetTheRecordsOfManySpillsInTheirOrder(Map<String, String> settings) throws Exception {
        Task task = new Task(settings);
        for (int i = 0; i < 3 * MapOutput.MOST_OPEN_FILES; i++) {
            task.write(6, i % 2 == 0 ? new int[] {0, 3, 4} : new int[] {1, 3, 5});
            task.spill();
            if (i % 10 == 0) {
                task.spillLong(3, "a record for which there was no memory, number " + i);
            }
        }
        task.write(100, 1, 3, 5);
        MapStatus status = task.finish();
        task.assertAllArrives();
        checkFigures(task, settings, status);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).as("files that can still be deleted").hasSameSizeAs(task.spills);
        }
    }

    @Test
    void theFilesOfManySpillsAreNotOpenTogether() throws Exception {
        Task task = new Task(Map.of("spark.io.compression.codec", Watching.class.getName()));
        Watching.MOST_OPEN.set(0);
        for (int i = 0; i < 5 * MapOutput.MOST_OPEN_FILES; i++) {
            task.write(2, 0, 5);
            task.spill();
        }
        task.finish();
        task.assertAllArrives();
        // And the one that is written.
        assertThat(Watching.MOST_OPEN.get()).isBetween(MapOutput.MOST_OPEN_FILES / 2, MapOutput.MOST_OPEN_FILES + 1);
    }

    @Test
    void theBuffersOfManySpillsTakeNoMoreThanThoseOfSome() throws Exception {
        Task task = new Task(Map.of());
        assertThat(task.output.mergeBytes(task.spills)).isZero();
        task.write(2, 0, 5);
        task.spill();
        assertThat(task.output.mergeBytes(task.spills)).as("that of Spark").isEqualTo(32 << 10);
        for (int i = 0; i < 200; i++) {
            task.write(2, 0, 5);
            task.spill();
        }
        assertThat(task.output.mergeBytes(task.spills)).isEqualTo(1 << 20);
    }

    private static void checkFigures(Task task, Map<String, String> settings, MapStatus status) {
        long sum = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            byte[] block = task.stored.blocks[partition].toByteArray();
            sum += block.length;
            assertThat(task.output.lengths()[partition]).isEqualTo(block.length);
            assertThat(status.getSizeForBlock(partition) > 0).isEqualTo(block.length > 0);
            if (!settings.containsKey("spark.shuffle.checksum.enabled")) {
                Checksum checksum =
                        settings.containsKey("spark.shuffle.checksum.algorithm") ? new CRC32C() : new Adler32();
                checksum.update(block, 0, block.length);
                assertThat(task.stored.checksums[partition])
                        .as("checksum of partition %d", partition)
                        .isEqualTo(checksum.getValue());
            }
        }
        assertThat(task.stored.blocks[2].size())
                .as("a partition without records")
                .isZero();
        assertThat(task.written.bytes).isEqualTo(sum);
        assertThat(task.stored.checksums.length)
                .isEqualTo(settings.containsKey("spark.shuffle.checksum.enabled") ? 0 : PARTITIONS);
    }

    @Test
    void aTaskWithoutRecordsLeavesEmptyBlocks() throws Exception {
        Task task = new Task(Map.of());
        task.finish();
        assertThat(task.stored.committed).isTrue();
        assertThat(task.output.lengths()).containsOnly(0).hasSize(PARTITIONS);
    }

    @Test
    void aFullDiskEndsTheOutputAndNothingIsCommitted() throws Exception {
        Task task = new Task(Map.of());
        task.write(500, 0, 1);
        task.spill();
        task.write(500, 0, 1);
        task.stored.failingPartition = 1;
        assertThatThrownBy(task::finish).isInstanceOf(IOException.class).hasMessage("No space left on device");
        assertThat(task.stored.aborted).hasMessage("No space left on device");
        assertThat(task.stored.committed).isFalse();
    }

    private static PartitionedRecords recordsThatFail() {
        return new PartitionedRecords() {
            @Override
            public boolean write(int partition, Object record) {
                return true;
            }

            @Override
            public void writeLong(Object record, OutputStream target) {}

            @Override
            public long memoryBytes() {
                return 0;
            }

            @Override
            public boolean shrink() {
                return false;
            }

            @Override
            public boolean isEmpty(int partition) {
                return false;
            }

            @Override
            public void writeTo(int partition, OutputStream target) throws IOException {
                target.write(new byte[10_000]);
                if (partition == 3) {
                    throw new IOException("No space left on device");
                }
            }

            @Override
            public void clear() {}
        };
    }

    @Test
    void aSpillThatFailsLeavesNoFile() throws Exception {
        Task task = new Task(Map.of());
        assertThatThrownBy(() -> task.output.spill(recordsThatFail())).isInstanceOf(IOException.class);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void compressorsAreClosedWhenRecordsFail() {
        Task task = new Task(Map.of("spark.io.compression.codec", CountingCodec.class.getName()));
        int opened = CountingCodec.OPENED.get();
        assertThatThrownBy(() -> task.output.spill(recordsThatFail())).hasMessage("No space left on device");
        assertThat(CountingCodec.OPEN).as("of a spill").hasValue(0);
        assertThatThrownBy(() -> task.output.write(List.of(), recordsThatFail(), 0))
                .hasMessage("No space left on device");
        assertThat(CountingCodec.OPEN).as("of the map output").hasValue(0);
        assertThat(CountingCodec.OPENED.get() - opened)
                .as("of partitions 0 to 3, twice")
                .isEqualTo(8);
    }

    @Test
    void aSpillThatWasCutOffIsNoticedBeforeReducersReadOfIt() throws Exception {
        Task task = new Task(Map.of("spark.shuffle.compress", "false"));
        task.write(500, 0, 1, 5);
        task.spill();
        Path file = folder.resolve("spill 0");
        Files.write(file, java.util.Arrays.copyOf(Files.readAllBytes(file), 100));
        assertThatThrownBy(task::finish).hasMessageContaining("has 100 bytes, expected");
        assertThat(task.stored.committed).isFalse();
    }
}
