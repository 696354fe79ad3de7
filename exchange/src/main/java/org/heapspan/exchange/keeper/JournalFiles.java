package org.heapspan.exchange.keeper;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The files of a journal, as far as it uses them. Tests have others than those of the system, which fail at each step. */
interface JournalFiles {
    /** An open file. */
    interface JournalFile extends Closeable {
        /** Reads some bytes; -1 if there are none. */
        int read(ByteBuffer target, long offset) throws IOException;

        /**
         * Writes all bytes.
         *
         * @throws org.heapspan.exchange.metadata.FullException if the device has no room for them
         */
        void write(ByteBuffer source, long offset) throws IOException;

        void truncate(long length) throws IOException;

        /** Returns when the device has all that was written. */
        void force() throws IOException;
    }

    /**
     * Opens a file to read it; null if there is none.
     *
     * @throws IOException if others could have written it
     */
    @Nullable
    JournalFile open(String name) throws IOException;

    /** Makes an empty file, in place of one that was left behind. */
    JournalFile make(String name) throws IOException;

    /** Gives a file another name, in place of the file that has it. */
    void rename(String from, String to) throws IOException;

    /** Returns when the device has the names. */
    void forceNames() throws IOException;

    /** How people find a file. */
    String path(String name);
}
