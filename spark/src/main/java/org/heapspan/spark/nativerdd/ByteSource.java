package org.heapspan.spark.nativerdd;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.heapspan.nativerdd.NativeBatch;

/** Bytes of a file, read one after the other into batches. Not thread-safe. */
interface ByteSource extends Closeable {
    /**
     * Reads bytes.
     *
     * @return how many, at least 1; or -1 at the end
     */
    int read(NativeBatch target, long offset, int length) throws IOException;

    /**
     * A file, from a position on. A local file is read into native memory without a copy in the heap, unless it has checksums, which only Hadoop's reader
     * verifies. It is not mapped: a mapped file that somebody truncates would end the JVM.
     */
    static ByteSource of(FileSystem system, Path path, long start) throws IOException {
        if (system instanceof LocalFileSystem local && !local.getRaw().exists(local.getChecksumFile(path))) {
            return of(FileChannel.open(local.pathToFile(path).toPath()).position(start));
        }
        FSDataInputStream stream = system.open(path);
        try {
            stream.seek(start);
        } catch (Throwable e) {
            stream.close();
            throw e;
        }
        return of((InputStream) stream);
    }

    /** A local file, from the position of the channel on: without a copy in the heap. */
    static ByteSource of(FileChannel channel) {
        return new ByteSource() {
            @Override
            public int read(NativeBatch target, long offset, int length) throws IOException {
                return channel.read(target.buffer(offset, length));
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    /** Any other. */
    static ByteSource of(InputStream stream) {
        byte[] step = new byte[64 << 10];
        return new ByteSource() {
            @Override
            public int read(NativeBatch target, long offset, int length) throws IOException {
                int count = stream.read(step, 0, Math.min(step.length, length));
                if (count > 0) {
                    target.put(offset, step, 0, count);
                }
                return count;
            }

            @Override
            public void close() throws IOException {
                stream.close();
            }
        };
    }
}
