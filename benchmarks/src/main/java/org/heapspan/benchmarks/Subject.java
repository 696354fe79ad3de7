package org.heapspan.benchmarks;

import org.heapspan.benchmarks.peer.Peer;

/**
 * A peer together with the records of a data set and their encoded form: one call of {@link #encode} or {@link #decode} is one
 * pass over all records, in one call of the peer or in one call per record.
 */
abstract class Subject {
    final Peer peer;
    final Object[] records;

    private Subject(Peer peer, Object[] records) {
        this.peer = peer;
        this.records = records;
    }

    /**
     * Encodes the records once, to have something to decode.
     *
     * @throws RuntimeException or {@link StackOverflowError}, what the peer throws if it cannot encode them
     */
    static Subject of(Peer peer, Object[] records, Call call) {
        return call == Call.CHUNK ? new Chunk(peer, records) : new Singles(peer, records);
    }

    /** Encodes all records and returns the peer, which holds the bytes. */
    abstract Object encode();

    /** Decodes all records. A pass of singles returns the last one, so that earlier ones can die young. */
    abstract Object decode();

    /** Encodes all records and decodes what came out. */
    abstract Object roundTrip();

    /** Decodes all records and keeps them. */
    abstract Object[] decodeAll();

    abstract double bytesPerRecord();

    final int recordCount() {
        return records.length;
    }

    private static final class Chunk extends Subject {
        private final byte[] encoded;

        Chunk(Peer peer, Object[] records) {
            super(peer, records);
            peer.encodeChunk(records);
            encoded = peer.encoded();
        }

        @Override
        Object encode() {
            peer.encodeChunk(records);
            return peer;
        }

        @Override
        Object decode() {
            return peer.decodeChunk(encoded);
        }

        @Override
        Object roundTrip() {
            peer.encodeChunk(records);
            return peer.decodeChunk(peer.encoded());
        }

        @Override
        Object[] decodeAll() {
            return peer.decodeChunk(encoded);
        }

        @Override
        double bytesPerRecord() {
            return (double) encoded.length / records.length;
        }
    }

    private static final class Singles extends Subject {
        private final byte[][] encoded;

        /** Where the results go: each must escape, or the compiler could drop the work. */
        private Object last = "";

        Singles(Peer peer, Object[] records) {
            super(peer, records);
            encoded = new byte[records.length][];
            for (int i = 0; i < records.length; i++) {
                peer.encodeOne(records[i]);
                encoded[i] = peer.encoded();
            }
        }

        @Override
        Object encode() {
            for (Object record : records) {
                peer.encodeOne(record);
            }
            return peer;
        }

        @Override
        Object decode() {
            for (byte[] bytes : encoded) {
                last = peer.decodeOne(bytes);
            }
            return last;
        }

        @Override
        Object roundTrip() {
            for (Object record : records) {
                peer.encodeOne(record);
                last = peer.decodeOne(peer.encoded());
            }
            return last;
        }

        @Override
        Object[] decodeAll() {
            Object[] decoded = new Object[encoded.length];
            for (int i = 0; i < encoded.length; i++) {
                decoded[i] = peer.decodeOne(encoded[i]);
            }
            return decoded;
        }

        @Override
        double bytesPerRecord() {
            long sizeBytes = 0;
            for (byte[] bytes : encoded) {
                sizeBytes += bytes.length;
            }
            return (double) sizeBytes / records.length;
        }
    }
}
