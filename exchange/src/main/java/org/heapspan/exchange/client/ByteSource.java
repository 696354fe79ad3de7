package org.heapspan.exchange.client;

import java.io.IOException;

/** The bytes of a group that is stored. */
public interface ByteSource {
    /** How many there are. */
    long sizeBytes();

    /** Their CRC32C. */
    int checksum();

    /** Hands all of them on, in blocks of at most what a frame carries. */
    void forEachBlock(ByteTarget target) throws IOException;
}
