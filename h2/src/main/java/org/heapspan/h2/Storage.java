package org.heapspan.h2;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where the bytes of the second heap are: files, and in tests what fails as files do. Used by one thread, but for what reads. */
interface Storage {
    /**
     * Makes a segment. It takes next to no space before it is written to.
     *
     * @param sizeBytes how long it is, at most {@link Integer#MAX_VALUE}
     * @throws IOException if it cannot be made
     */
    Segment create(long sizeBytes) throws IOException;

    /** A piece of storage that is mapped as a whole. */
    interface Segment {
        /**
         * Writes all of a buffer, or fails.
         *
         * @throws IOException if it cannot be written, as on a full disk; what of it is written then is not known
         */
        void write(ByteBuffer bytes, long offset) throws IOException;

        /** What was written, to be read by any thread with absolute indexes. Where nothing was written nobody may look. */
        ByteBuffer mapped();

        /** Whether a byte that was written is in memory, as far as the system tells. By any thread. */
        boolean isResident(long offset);

        /** Waits until bytes that were written are in memory; by any thread. Fails like an access to {@link #mapped}. */
        void load(long offset, int length);

        /**
         * Gives back the space; as after its creation. Nobody may be reading.
         *
         * @throws IOException if that fails; the segment is then of no use any more
         */
        void discard() throws IOException;

        /**
         * Gives back the space of a part in which nothing is live; it may be written to again. Nobody may be reading there.
         *
         * @return false if that is not possible for any part of any segment
         * @throws IOException if that fails
         */
        boolean giveBack(long offset, int length) throws IOException;

        /** Closes it; what is mapped remains readable until nobody refers to it. */
        void close();
    }
}
