package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.LineRecordReader;
import org.heapspan.nativerdd.NativeBatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts of text files have the lines that Hadoop's reader finds in them. */
@Tag("once")
final class LineBlocksTest {
    private static final Configuration CONFIGURATION = new Configuration();

    @TempDir
    Path folder;

    private record Part(long start, long end) {}

    private static List<String> linesOf(LineBlocks blocks) {
        List<String> lines = new ArrayList<>();
        while (blocks.hasNext()) {
            try (RddBatch block = blocks.next()) {
                assertThat(block.memory().address() % 8).isZero();
                assertThat(block.memory().sizeBytes()).isPositive();
                String text = new String(
                        NativeBatch.bytesAt(
                                block.memory().address(), block.memory().sizeBytes()),
                        StandardCharsets.UTF_8);
                lines.addAll(
                        List.of((text.endsWith("\n") ? text.substring(0, text.length() - 1) : text).split("\n", -1)));
            }
        }
        return lines;
    }

    private static List<String> ours(byte[] bytes, Part part, int blockBytes) {
        ByteArrayInputStream stream = new ByteArrayInputStream(bytes);
        assertThat(stream.skip(part.start)).isEqualTo(part.start);
        return linesOf(new LineBlocks(ByteSource.of(stream), part.start, part.end, blockBytes));
    }

    private static List<String> ofHadoop(Path file, Part part) throws IOException {
        FileSplit split = new FileSplit(hadoopPath(file), part.start, part.end - part.start, new String[0]);
        List<String> lines = new ArrayList<>();
        try (LineRecordReader reader = new LineRecordReader(CONFIGURATION, split, new byte[] {'\n'})) {
            LongWritable key = reader.createKey();
            Text line = reader.createValue();
            while (reader.next(key, line)) {
                lines.add(line.toString());
            }
        }
        return lines;
    }

    private void compare(String text, int seed) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Path file = Files.write(folder.resolve("file" + seed), bytes);
        Random random = new Random(seed);
        List<String> all = new ArrayList<>();
        long start = 0;
        while (start < bytes.length) {
            Part part = new Part(start, Math.min(bytes.length, start + 1 + random.nextInt(40)));
            List<String> expected = ofHadoop(file, part);
            for (int blockBytes : new int[] {1, 7, 64, 1 << 20}) {
                assertThat(ours(bytes, part, blockBytes))
                        .as("%s of seed %d", part, seed)
                        .isEqualTo(expected);
                assertThat(linesOf(blocksOf(file, part, blockBytes)))
                        .as("%s of seed %d, local file", part, seed)
                        .isEqualTo(expected);
            }
            all.addAll(expected);
            start = part.end;
        }
        // No line is lost, and none is there twice.
        assertThat(all).isEqualTo(ours(bytes, new Part(0, Long.MAX_VALUE), 5));
    }

    @Test
    void randomFilesInRandomParts() throws IOException {
        for (int seed = 1; seed <= 25; seed++) {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder();
            int lines = random.nextInt(30);
            for (int i = 0; i < lines; i++) {
                text.append("é".repeat(random.nextInt(4)))
                        .append("x".repeat(random.nextInt(random.nextInt(50) + 1)))
                        .append(random.nextInt(4) == 0 ? "\r\n" : "\n");
            }
            text.append("y".repeat(random.nextInt(3)));
            compare(text.toString(), seed);
        }
    }

    @Test
    void aByteOrderMarkIsNotPartOfTheFirstLine() throws IOException {
        compare("\uFEFFone\ntwo\n", 100);
    }

    private static org.apache.hadoop.fs.Path hadoopPath(Path file) {
        return new org.apache.hadoop.fs.Path(file.toUri());
    }

    private static LineBlocks blocksOf(Path file, Part part, int blockBytes) throws IOException {
        FileSystem local = FileSystem.getLocal(CONFIGURATION);
        return new LineBlocks(ByteSource.of(local, hadoopPath(file), part.start), part.start, part.end, blockBytes);
    }

    @Test
    void localFilesAreReadInPlaceAlsoThroughLinks() throws IOException {
        Path file = Files.writeString(folder.resolve("local"), "one\ntwo\nthree");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertThat(linesOf(blocksOf(link, new Part(2, 5), LineBlocks.BLOCK_BYTES)))
                .containsExactly("two");
    }

    @Test
    void aFileThatBecomesShorterEndsThere() throws IOException {
        Path file = Files.writeString(folder.resolve("shorter"), "one\ntwo\n".repeat(100_000));
        LineBlocks blocks = blocksOf(file, new Part(0, Long.MAX_VALUE), 100);
        try (RddBatch first = blocks.next();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertThat(first.memory().sizeBytes()).isLessThan(1 << 20);
            channel.truncate(first.memory().sizeBytes() + 1);
        }
        assertThat(linesOf(blocks)).hasSizeLessThan(2);
    }

    @Test
    void checksumsOfHadoopAreVerified() throws IOException {
        Path file = folder.resolve("checked");
        String text = "one\ntwo\nthree\n".repeat(1000);
        try (OutputStream out = FileSystem.getLocal(CONFIGURATION).create(hadoopPath(file))) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(folder.resolve(".checked.crc")).exists();
        Part part = new Part(5000, 9000);
        assertThat(linesOf(blocksOf(file, part, 100))).isEqualTo(ofHadoop(file, part));
        Files.writeString(file, text.replace("two", "2wo"));
        LineBlocks damaged = blocksOf(file, new Part(0, 9000), 100);
        assertThatThrownBy(() -> linesOf(damaged)).hasRootCauseInstanceOf(ChecksumException.class);
    }

    @Test
    void memoryIsFreedAlsoWhenAReadFails() {
        long before = NativeBatch.openBytes();
        int[] calls = new int[1];
        LineBlocks blocks = new LineBlocks(
                new ByteSource() {
                    @Override
                    public int read(NativeBatch target, long offset, int length) throws IOException {
                        if (calls[0]++ == 3) {
                            throw new IOException("no disk");
                        }
                        target.put(offset, "abc\nd".getBytes(StandardCharsets.UTF_8), 0, 5);
                        return 5;
                    }

                    @Override
                    public void close() {}
                },
                0,
                Long.MAX_VALUE,
                10);
        assertThatThrownBy(() -> linesOf(blocks))
                .isInstanceOf(UncheckedIOException.class)
                .hasRootCauseMessage("no disk");
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }
}
