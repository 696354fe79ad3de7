package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class SpilledRecordsTest {
    private static final int BUFFER_BYTES = 1 << 10;
    private static final int PARTITIONS = 5;

    @TempDir
    Path folder;

    /** Nothing for the first and the last partition and for one between. */
    private static byte[] partition(int number) {
        byte[] bytes = new byte[number % 2 == 0 ? 0 : 3000 * number];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    private Path file() {
        return folder.resolve("spilled");
    }

    private SpilledRecords spilled() throws IOException {
        SpilledRecords records = new SpilledRecords(file().toFile(), PARTITIONS);
        try (SpilledRecords.Writer writer = records.writer(BUFFER_BYTES)) {
            for (int number = 0; number < PARTITIONS; number++) {
                byte[] bytes = partition(number);
                if (bytes.length > 0) {
                    writer.write(bytes[0]);
                    writer.write(bytes, 1, bytes.length - 1);
                }
                writer.endPartition();
            }
        }
        return records;
    }

    @Test
    void partitionsComeOutAsTheyWentIn() throws Exception {
        SpilledRecords records = spilled();
        assertThat(records.sizeBytes()).isEqualTo(Files.size(file())).isEqualTo(3000 + 9000);
        try (SpilledRecords.Reader reader = records.reader(BUFFER_BYTES)) {
            for (int number = 0; number < PARTITIONS; number++) {
                byte[] expected = partition(number);
                assertThat(reader.nextPartition()).as("partition %d", number).isEqualTo(expected.length > 0);
                ByteArrayOutputStream target = new ByteArrayOutputStream();
                reader.copyTo(target, stream -> stream, new byte[100]);
                assertThat(target.toByteArray()).as("partition %d", number).isEqualTo(expected);
            }
        }
    }

    /** As decryption and decompression do: each partition is a stream of its own, whose end is not that of the file. */
    @Test
    void eachPartitionIsUnwrappedByItself() throws Exception {
        SpilledRecords records = spilled();
        int[] closed = {0};
        try (SpilledRecords.Reader reader = records.reader(BUFFER_BYTES)) {
            for (int number = 0; number < PARTITIONS; number++) {
                reader.nextPartition();
                ByteArrayOutputStream target = new ByteArrayOutputStream();
                reader.copyTo(
                        target,
                        stream -> new FilterInputStream(stream) {
                            @Override
                            public int read(byte[] bytes, int offset, int length) throws IOException {
                                int count = super.read(bytes, offset, length);
                                for (int i = offset; i < offset + count; i++) {
                                    bytes[i] ^= 0x55;
                                }
                                return count;
                            }

                            @Override
                            public void close() throws IOException {
                                closed[0]++;
                                super.close();
                            }
                        },
                        new byte[100]);
                byte[] expected = partition(number);
                for (int i = 0; i < expected.length; i++) {
                    expected[i] ^= 0x55;
                }
                assertThat(target.toByteArray()).isEqualTo(expected);
            }
        }
        assertThat(closed[0]).as("streams of partitions with records").isEqualTo(2);
    }

    @Test
    void whatAStreamLeavesUnreadIsAnError() throws Exception {
        SpilledRecords records = spilled();
        try (SpilledRecords.Reader reader = records.reader(BUFFER_BYTES)) {
            reader.nextPartition();
            assertThat(reader.nextPartition()).isTrue();
            assertThatThrownBy(() -> reader.copyTo(
                            new ByteArrayOutputStream(), stream -> InputStream.nullInputStream(), new byte[100]))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("bytes of partition 1 are left in " + file());
        }
    }

    @Test
    void aFileThatWasCutOffIsNoticed() throws Exception {
        SpilledRecords records = spilled();
        try (RandomAccessFile open = new RandomAccessFile(file().toFile(), "rw")) {
            // Where a partition ends.
            open.setLength(3000);
        }
        assertThatThrownBy(() -> records.reader(BUFFER_BYTES))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has 3000 bytes, expected 12000");
    }

    @Test
    void theFileIsGoneWhenItIsDeletedAndItMayBeDeletedAgain() throws Exception {
        SpilledRecords records = spilled();
        records.delete();
        assertThat(file()).doesNotExist();
        records.delete();
        assertThatThrownBy(() -> records.reader(BUFFER_BYTES)).isInstanceOf(IOException.class);
    }
}
