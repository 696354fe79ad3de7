package org.apache.spark.heapspan;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;

/** Compresses nothing, and counts the streams that are open, as they would keep memory outside of the heap. */
public final class CountingCodec implements CompressionCodec {
    static final AtomicInteger OPENED = new AtomicInteger();
    static final AtomicInteger OPEN = new AtomicInteger();

    /** Called by Spark. */
    public CountingCodec(SparkConf conf) {}

    @Override
    public OutputStream compressedOutputStream(OutputStream target) {
        OPENED.incrementAndGet();
        OPEN.incrementAndGet();
        return new FilterOutputStream(target) {
            private boolean closed;

            @Override
            public void close() throws IOException {
                if (!closed) {
                    closed = true;
                    OPEN.decrementAndGet();
                }
                super.close();
            }
        };
    }

    @Override
    public InputStream compressedInputStream(InputStream source) {
        return new FilterInputStream(source) {};
    }
}
