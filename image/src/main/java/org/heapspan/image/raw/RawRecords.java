package org.heapspan.image.raw;

import java.util.Arrays;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ImageReader;
import org.jspecify.annotations.Nullable;

/**
 * Records whose chunks have been read, and that have not been requested yet: their roots, as units of the object space or as objects that
 * the direct engine has created, and whether they have a compact part. Belongs to one {@link RawImageReader}; not thread-safe.
 */
final class RawRecords {
    /** Stands for the beginning of a record without a compact part. */
    private static final long NOT_EXTENDED = -1;

    private final ImageReader reader;
    private final RawObjectSpace space;

    /** Units of the roots, 0 for none; valid unless the direct engine has made them. */
    private int[] roots = new int[16];

    /** The roots, and behind them what nobody here asks for, if the direct engine has made them. */
    private @Nullable Object @Nullable [] carvedRoots;

    private int count;
    private int next;

    // Records with a compact part, ascending, and where their copies begin.
    private int[] extendedRecords = new int[4];
    private long[] extendedStarts = new long[4];
    private int extensionCount;
    private int nextExtension;

    /** Where the copies of the latest record begin if it has a compact part. */
    private long latestStart = NOT_EXTENDED;

    RawRecords(ImageReader reader, RawObjectSpace space) {
        this.reader = reader;
        this.space = space;
    }

    /** Forgets all records. */
    void clear() {
        carvedRoots = null;
        count = 0;
        next = 0;
        extensionCount = 0;
        nextExtension = 0;
    }

    /** Adds the records that end in a chunk whose objects can be looked up. */
    void add(byte[] bytes, int chunkAt, RawChunkHeader header) {
        if (next == count) {
            clear();
        } else if (carvedRoots != null) {
            throw reader.malformed("a chunk comes before all records of the one before it");
        }
        int rootCount = header.rootCount();
        if (rootCount > roots.length - count) {
            roots = Arrays.copyOf(roots, Math.max(count + rootCount, 2 * roots.length));
        }
        int p = chunkAt + header.roots();
        for (int i = 0; i < rootCount; i++) {
            int unit = (int) ImageFormat.INT.get(bytes, p);
            if (unit != 0 && !header.ends()) {
                throw reader.malformed("a record has its root in a chunk that does not end it");
            }
            roots[count + i] = unit;
            p += RawFormat.ROOT_BYTES;
        }
        addExtensions(bytes, chunkAt, header);
        count += rootCount;
    }

    /**
     * Puts the records of chunks that the direct engine has read in the place of those before, all of which have been read.
     *
     * @param made begins with the roots of all the chunks
     */
    void addCarved(RawPieces pieces, @Nullable Object[] made) {
        clear();
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece piece = pieces.get(i);
            addExtensions(piece.bytes(), piece.position(), piece.header);
            count += piece.header.rootCount();
        }
        carvedRoots = made;
    }

    /** Adds which records of a chunk have a compact part; the first of them will follow those before. */
    private void addExtensions(byte[] bytes, int chunkAt, RawChunkHeader header) {
        int p = chunkAt + header.extensions();
        for (int i = 0; i < header.extensionCount(); i++) {
            int record = (int) ImageFormat.INT.get(bytes, p);
            if (record < 0 || record >= header.rootCount()) {
                throw reader.malformed(
                        "record " + record + " of a chunk of " + header.rootCount() + " goes on in the compact part");
            }
            addExtension(count + record, (int) ImageFormat.INT.get(bytes, p + Integer.BYTES) & 0xFFFFFFFFL);
            p += RawFormat.EXTENSION_BYTES;
        }
    }

    private void addExtension(int record, long firstUnit) {
        if (extensionCount == extendedRecords.length) {
            extendedRecords = Arrays.copyOf(extendedRecords, extensionCount * 2);
            extendedStarts = Arrays.copyOf(extendedStarts, extensionCount * 2);
        }
        extendedRecords[extensionCount] = record;
        extendedStarts[extensionCount] = firstUnit;
        extensionCount++;
    }

    boolean hasNext() {
        return next < count;
    }

    /** How many records there are, those included that have been read. */
    int count() {
        return count;
    }

    /** Whether the direct engine has made the objects of the records. */
    boolean areCarved() {
        return carvedRoots != null;
    }

    /**
     * Takes all records at once if that is all there is to reading them.
     *
     * @return an array that begins with {@link #count} records; or null if they have to be read one by one
     */
    @Nullable
    Object @Nullable [] takeAll() {
        @Nullable Object[] made = carvedRoots;
        if (made == null || count == 0 || next > 0 || extensionCount > 0) {
            return null;
        }
        next = count;
        return made;
    }

    /** Takes the next record: the copy that is its root, or null if none is. */
    @Nullable
    Object take() {
        int record = next++;
        latestStart = nextExtension < extensionCount && extendedRecords[nextExtension] == record
                ? extendedStarts[nextExtension++]
                : NOT_EXTENDED;
        @Nullable Object[] made = carvedRoots;
        if (made != null) {
            return made[record];
        }
        return roots[record] == 0 ? null : space.objectAt(roots[record] & 0xFFFFFFFFL);
    }

    /** Whether the record that was taken last has a compact part. */
    boolean isExtended() {
        return latestStart != NOT_EXTENDED;
    }

    /** Where the copies of the record begin that was taken last and has a compact part. */
    long latestStart() {
        return latestStart;
    }

    /** Where the next record begins that has copies, if its chunk has been read object by object. */
    long nextStart() {
        int extension = nextExtension;
        for (int record = next; record < count; record++) {
            if (extension < extensionCount && extendedRecords[extension] == record) {
                return extendedStarts[extension];
            }
            if (roots[record] != 0) {
                return roots[record] & 0xFFFFFFFFL;
            }
        }
        return space.endUnit();
    }
}
