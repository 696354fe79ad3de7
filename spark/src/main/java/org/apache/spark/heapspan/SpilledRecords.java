package org.apache.spark.heapspan;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.network.util.LimitedInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file of records that a map task has no memory for, one partition behind the other. Not thread-safe. */
final class SpilledRecords {
    private static final Logger LOG = LoggerFactory.getLogger(SpilledRecords.class);

    private final File file;

    /** Where partitions end, in bytes. */
    private final long[] ends;

    SpilledRecords(File file, int partitions) {
        this.file = file;
        ends = new long[partitions];
    }

    /** Opens the file to write it. */
    Writer writer(int bufferBytes) throws IOException {
        return new Writer(new FileOutputStream(file), bufferBytes);
    }

    /**
     * Begins to read the file, which is open only from its first partition with records to its last: there can be a file for each long record.
     *
     * @throws IOException if it cannot be read, or is not as long as it was: a partition behind its end would look as if it had no records
     */
    Reader reader(int bufferBytes) throws IOException {
        if (file.length() != sizeBytes()) {
            throw new IOException("the file of spilled records " + file + " has " + file.length() + " bytes, expected "
                    + sizeBytes() + ": somebody has changed it since it was written");
        }
        return new Reader(bufferBytes);
    }

    /** The length of the file. */
    long sizeBytes() {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    /** Whether it has records of several partitions, so that it is open while others are read too. */
    boolean isOfSeveralPartitions() {
        int first = 0;
        while (first < ends.length && ends[first] == 0) {
            first++;
        }
        return first < ends.length && ends[first] < sizeBytes();
    }

    /** Removes the file. */
    void delete() {
        if (file.exists() && !file.delete()) {
            LOG.warn("Spilled records stay in {}, which cannot be deleted", file);
        }
    }

    /** Writes partition after partition. */
    final class Writer extends FilterOutputStream {
        private int partition;
        private long writtenBytes;

        Writer(OutputStream file, int bufferBytes) {
            super(new BufferedOutputStream(file, bufferBytes));
        }

        @Override
        public void write(int one) throws IOException {
            out.write(one);
            writtenBytes++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            writtenBytes += length;
        }

        /** Says that what follows is of the next partition. */
        void endPartition() {
            ends[partition++] = writtenBytes;
        }
    }

    /** What may be around a stream. */
    interface Unwrapping {
        InputStream unwrap(InputStream stream) throws IOException;
    }

    /** Reads partition after partition. */
    final class Reader implements AutoCloseable {
        private final int bufferBytes;
        private @Nullable InputStream source;
        private int partition = -1;

        Reader(int bufferBytes) {
            this.bufferBytes = bufferBytes;
        }

        /** Goes on to the next partition, and says whether it has records here, which must then be {@linkplain #copyTo copied}. */
        boolean nextPartition() {
            partition++;
            return lengthBytes() > 0;
        }

        private long lengthBytes() {
            return ends[partition] - (partition == 0 ? 0 : ends[partition - 1]);
        }

        /**
         * Copies the partition, if it has records here.
         *
         * @param copied an array to copy with
         */
        void copyTo(OutputStream target, Unwrapping unwrapping, byte[] copied) throws IOException {
            long lengthBytes = lengthBytes();
            if (lengthBytes == 0) {
                return;
            }
            InputStream opened = source;
            if (opened == null) {
                opened = new BufferedInputStream(new FileInputStream(file), bufferBytes);
                source = opened;
            }
            LimitedInputStream stored = new LimitedInputStream(opened, lengthBytes, false);
            try (InputStream stream = unwrapping.unwrap(stored)) {
                for (int count = stream.read(copied); count >= 0; count = stream.read(copied)) {
                    target.write(copied, 0, count);
                }
            }
            if (stored.read() >= 0) {
                throw new IOException("bytes of partition " + partition + " are left in " + file
                        + ", expected a stream that ends with them");
            }
            if (ends[partition] == sizeBytes()) {
                close();
            }
        }

        @Override
        public void close() throws IOException {
            if (source != null) {
                source.close();
                source = null;
            }
        }
    }

    /** Reads files side by side, partition after partition. */
    static final class Readers implements AutoCloseable {
        private static final int COPIED_BYTES = 8 << 10;

        private final List<Reader> readers = new ArrayList<>();
        private final byte[] copied = new byte[COPIED_BYTES];

        /**
         * Begins to read files.
         *
         * @param bufferBytes of each that is open
         * @throws IOException as {@link #reader}
         */
        Readers(List<SpilledRecords> files, int bufferBytes) throws IOException {
            for (SpilledRecords file : files) {
                readers.add(file.reader(bufferBytes));
            }
        }

        /** Goes on to the next partition, and says whether it has records, which must then be {@linkplain #copyTo copied}. */
        boolean nextPartition() {
            boolean hasRecords = false;
            for (Reader reader : readers) {
                hasRecords |= reader.nextPartition();
            }
            return hasRecords;
        }

        /** Copies what the files have of the partition, one behind the other. */
        void copyTo(OutputStream target, Unwrapping unwrapping) throws IOException {
            for (Reader reader : readers) {
                reader.copyTo(target, unwrapping, copied);
            }
        }

        @Override
        public void close() throws IOException {
            for (Reader reader : readers) {
                reader.close();
            }
        }
    }
}
