package org.heapspan.image.raw;

import java.util.Arrays;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;

/**
 * Chunks that together hold whole records. They are kept until the last one has been read, so that the direct engine can create all objects at
 * once. Also has the header of the next chunk. Belongs to one {@link RawImageReader}; not thread-safe.
 */
public final class RawPieces {
    /** A chunk. */
    public static final class Piece {
        public final RawChunkHeader header = new RawChunkHeader();
        private byte[] bytes = NO_BYTES;
        private int position;

        byte[] bytes() {
            return bytes;
        }

        /** Where the chunk begins in the bytes. */
        public int position() {
            return position;
        }
    }

    private static final byte[] NO_BYTES = {};

    /** Chunks in several arrays are copied into one of at most this size. Only tables can make chunks larger. */
    private static final long MOST_JOINED_BYTES = 16 << 20;

    private static final long[] NO_EXPORTS = {};

    private Piece[] pieces = {new Piece()};
    private int count;
    private long objectBytes;

    /** Bytes of all the chunks together. */
    private long chunkBytes;

    /** Whether the chunks are in several arrays. */
    private boolean scattered;

    int count() {
        return count;
    }

    public Piece get(int index) {
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

    /** Whether one array can have the chunks and the one whose header has been read, of which the bytes are in the given array. */
    boolean fitsWith(byte[] nextBytes) {
        boolean inOneArray = count == 0 || !scattered && pieces[0].bytes == nextBytes;
        return inOneArray || chunkBytes + pieces[count].header.tablesEnd() <= MOST_JOINED_BYTES;
    }

    /** The array with all the chunks. They are copied if they came in several arrays. */
    byte[] inOneArray() {
        if (scattered) {
            byte[] all = new byte[(int) chunkBytes];
            int end = 0;
            for (int i = 0; i < count; i++) {
                Piece piece = pieces[i];
                int sizeBytes = (int) piece.header.tablesEnd();
                System.arraycopy(piece.bytes, piece.position, all, end, sizeBytes);
                piece.bytes = all;
                piece.position = end;
                end += sizeBytes;
            }
            scattered = false;
        }
        return pieces[0].bytes;
    }

    /** Reads the header of the chunk that comes next; it stays as it is until the next chunk comes. */
    RawChunkHeader decodeNext(byte[] newBytes, int position) {
        if (count == pieces.length) {
            pieces = Arrays.copyOf(pieces, count * 2);
            for (int i = count; i < pieces.length; i++) {
                pieces[i] = new Piece();
            }
        }
        Piece piece = pieces[count];
        piece.position = position;
        piece.header.decode(newBytes, position);
        return piece.header;
    }

    /** Adds the chunk whose header has been read. */
    void addNext(byte[] newBytes) {
        Piece piece = pieces[count++];
        piece.bytes = newBytes;
        scattered |= pieces[0].bytes != newBytes;
        objectBytes += piece.header.objectBytes();
        chunkBytes += piece.header.tablesEnd();
    }

    /**
     * All exports in the order of their places: in the upper half of each number the unit from the first of the chunks, in the lower half
     * the place among the exports as they come.
     */
    long[] sortedExports() {
        int total = 0;
        for (int i = 0; i < count; i++) {
            total += pieces[i].header.exportCount();
        }
        if (total == 0) {
            return NO_EXPORTS;
        }
        long[] exports = new long[total];
        int firstUnit = (int) pieces[0].header.firstUnit();
        int next = 0;
        for (int i = 0; i < count; i++) {
            int p = pieces[i].position + pieces[i].header.exports();
            for (int k = pieces[i].header.exportCount(); k > 0; k--) {
                int unit = (int) ImageFormat.INT.get(pieces[i].bytes, p);
                exports[next] = (long) (unit - firstUnit) << Integer.SIZE | next;
                next++;
                p += RawFormat.EXPORT_BYTES;
            }
        }
        Arrays.sort(exports);
        return exports;
    }

    void clear() {
        for (int i = 0; i < count; i++) {
            pieces[i].bytes = NO_BYTES;
        }
        count = 0;
        objectBytes = 0;
        chunkBytes = 0;
        scattered = false;
    }
}
