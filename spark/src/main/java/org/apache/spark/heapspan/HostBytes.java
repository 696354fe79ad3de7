package org.apache.spark.heapspan;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.List;
import org.apache.spark.serializer.DeserializationStream;
import org.jspecify.annotations.Nullable;

/** Where the executors of a host share the bytes of broadcasts. Thread-safe. */
public interface HostBytes {
    /** The bytes of a broadcast as its serializer wrote them, uncompressed. */
    @FunctionalInterface
    interface Content {
        /**
         * Fetches the bytes.
         *
         * @param target takes them, and stays open
         * @throws IOException if they cannot be fetched or written
         */
        void writeTo(OutputStream target) throws IOException;
    }

    /**
     * Opens the bytes of a broadcast. Waits while another executor of this host fetches them.
     *
     * @param broadcast its number
     * @param content gives the bytes if no other executor of this host has them
     * @return the bytes, in order, to be given to {@link #close}; null if this executor shall read the broadcast by itself
     * @throws IOException if the bytes cannot be fetched or stored
     */
    @Nullable
    List<MappedByteBuffer> open(long broadcast, Content content) throws IOException;

    /**
     * Opens the stream that the bytes are.
     *
     * @param bytes in order, unchanged by the reader
     * @return a stream of one record
     */
    DeserializationStream stream(List<? extends ByteBuffer> bytes);

    /**
     * Takes back what {@link #open} returned.
     *
     * @param broadcast its number
     */
    void close(long broadcast);

    /**
     * Takes note of a broadcast that Spark has to read by itself.
     *
     * @param broadcast its number
     * @param cause why
     */
    void failed(long broadcast, Throwable cause);
}
