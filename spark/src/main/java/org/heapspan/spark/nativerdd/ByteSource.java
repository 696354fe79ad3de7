package org.heapspan.spark.nativerdd;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import org.heapspan.nativerdd.NativeBatch;

/** Bytes of a file, read one after the other into batches. Not thread-safe. */
interface ByteSource extends Closeable {
    /**
     * Reads bytes.
     *
     * @return how many, at least 1; or -1 at the end
     */
    int read(NativeBatch target, long offset, int length) throws IOException;

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
