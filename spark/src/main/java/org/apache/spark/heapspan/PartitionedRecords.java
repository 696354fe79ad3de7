package org.apache.spark.heapspan;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Records of a map task on their way to reducers: encoded, and kept apart by the partition of the reducer, until they leave for a file. Not
 * thread-safe.
 */
public interface PartitionedRecords {
    /**
     * Adds a record, which the caller may change afterwards.
     *
     * @param partition of the reducer, from 0
     * @param record a pair of key and value
     * @return false if there is no memory for the record, which is long: then it was not added. {@link #clear} makes room for others, and {@link
     *     #writeLong} writes it
     */
    boolean write(int partition, Object record);

    /**
     * Writes a single record, which takes no memory of its length, as a stream like that of {@link #writeTo}.
     *
     * @param record a pair of key and value
     * @param target takes the stream; it is neither flushed nor closed
     * @throws IOException if it fails
     */
    void writeLong(Object record, OutputStream target) throws IOException;

    /**
     * How much memory all records take, with all that holds them.
     *
     * @return bytes
     */
    long memoryBytes();

    /**
     * Makes the records take less memory, if that is much less, and those that come too. Costs time, so call it where memory is short.
     *
     * @return false if it would gain less than half
     */
    boolean shrink();

    /**
     * Whether a partition has no records.
     *
     * @param partition of the reducer, from 0
     * @return true if it has none
     */
    boolean isEmpty(int partition);

    /**
     * Writes the records of a partition, in the order in which they came, as a stream that the serializer reads; streams may be put one behind
     * the other. Writes nothing where there are no records. Call it at most once for each partition, then {@link #clear}.
     *
     * @param partition of the reducer, from 0
     * @param target takes the stream; it is neither flushed nor closed
     * @throws IOException if it fails
     */
    void writeTo(int partition, OutputStream target) throws IOException;

    /** Drops all records, and begins anew. */
    void clear();
}
