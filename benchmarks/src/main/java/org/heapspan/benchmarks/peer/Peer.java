package org.heapspan.benchmarks.peer;

import java.nio.ByteBuffer;

/**
 * A serializer under measurement, set up for one data set: classes registered, buffers of its own that it reuses.
 *
 * <p>A chunk is one call over many records: references shared between its records are one scope, class descriptions are
 * written once. A single is one self-contained encoding of one record. Not thread-safe.
 */
public interface Peer {
    /** The name on the command line and in tables. */
    String name();

    /** Encodes the records into the peer's buffer and returns the size in bytes. */
    int encodeChunk(Object[] records);

    /** Decodes what {@link #encodeChunk} produced; the result has one element per record. */
    Object[] decodeChunk(byte[] encoded);

    /** Encodes one record into the peer's buffer and returns the size in bytes. */
    int encodeOne(Object record);

    /** Decodes what {@link #encodeOne} produced. */
    Object decodeOne(byte[] encoded);

    /** A copy of the bytes of the last encode call. */
    byte[] encoded();

    /** The bytes of the last encode call where they were written, valid until the next; a copy where the peer gives no other. */
    default ByteBuffer encodedInPlace() {
        return ByteBuffer.wrap(encoded());
    }
}
