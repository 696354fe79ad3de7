package org.heapspan.benchmarks.flink.queries;

import java.io.EOFException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/**
 * Reads the rows of a part of a file: those that begin in it.
 *
 * @param <T> class of the rows
 */
final class Scan<T> implements FlatMapFunction<Long, T> {
    private static final long serialVersionUID = 1L;

    private static final int PART_BYTES = 4 << 20;

    /** No row of TPC-H is longer. */
    private static final int MOST_ROW_BYTES = 1 << 10;

    private final String file;
    private final Parser<T> parser;

    /** Makes a row of its text. */
    @FunctionalInterface
    interface Parser<T> extends Serializable {
        T read(RowReader row);
    }

    Scan(Path file, Parser<T> parser) {
        this.file = file.toString();
        this.parser = parser;
    }

    /** Into how many parts the file is cut. */
    long parts() throws IOException {
        return Files.size(Path.of(file)) / PART_BYTES + 1;
    }

    @Override
    public void flatMap(Long part, Collector<T> output) throws IOException {
        long start = part * PART_BYTES;
        // The row before may end with the last byte before this part.
        long from = Math.max(0, start - 1);
        byte[] bytes = read(from, start + PART_BYTES + MOST_ROW_BYTES);
        RowReader row = new RowReader(bytes);
        if (start > 0) {
            row.nextRow();
        }
        long end = Math.min(start + PART_BYTES - from, bytes.length);
        while (row.position() < end) {
            T read = parser.read(row);
            row.nextRow();
            output.collect(read);
        }
    }

    private byte[] read(long from, long to) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(file))) {
            ByteBuffer bytes = ByteBuffer.allocate((int) (Math.min(to, channel.size()) - from));
            while (bytes.hasRemaining()) {
                if (channel.read(bytes, from + bytes.position()) < 0) {
                    throw new EOFException(file + " became shorter while it was read");
                }
            }
            return bytes.array();
        }
    }
}
