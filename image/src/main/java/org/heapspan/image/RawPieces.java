package org.heapspan.image;

import java.util.Arrays;

/**
 * Chunks of one array of bytes that begin and end a record together, kept until the last of them has come, so that the direct engine
 * can make their objects at once. Belongs to one {@link RawImageReader}; not thread-safe.
 */
final class RawPieces {
    /** A chunk. */
    static final class Piece {
        final RawChunkHeader header = new RawChunkHeader();
        private int position;

        /** Where the chunk begins in the bytes. */
        int position() {
            return position;
        }
    }

    private static final byte[] NO_BYTES = {};

    private Piece[] pieces = {new Piece()};
    private int count;
    private byte[] bytes = NO_BYTES;
    private long objectBytes;

    /** The array in which all the chunks lie. */
    byte[] bytes() {
        return bytes;
    }

    int count() {
        return count;
    }

    Piece get(int index) {
        return pieces[index];
    }

    /** Bytes of objects in all the chunks. */
    long objectBytes() {
        return objectBytes;
    }

    /** The unit behind the last object. */
    long endUnit() {
        RawChunkHeader last = pieces[count - 1].header;
        return last.firstUnit() + (last.objectBytes() >> RawFormat.UNIT_SHIFT);
    }

    boolean contains(byte[] otherBytes) {
        return bytes == otherBytes;
    }

    void add(byte[] newBytes, int position) {
        if (count == pieces.length) {
            pieces = Arrays.copyOf(pieces, count + 1);
            pieces[count] = new Piece();
        }
        bytes = newBytes;
        Piece piece = pieces[count++];
        piece.position = position;
        piece.header.decode(newBytes, position);
        objectBytes += piece.header.objectBytes();
    }

    void clear() {
        count = 0;
        objectBytes = 0;
        bytes = NO_BYTES;
    }
}
