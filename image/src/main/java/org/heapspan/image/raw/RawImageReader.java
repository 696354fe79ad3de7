package org.heapspan.image.raw;

import org.heapspan.FallbackReason;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.RawInput;
import org.heapspan.image.graph.TypeResolver;
import org.heapspan.image.statistics.EngineCounters;
import org.heapspan.image.statistics.FallbackCount;
import org.heapspan.image.type.MissingObject;
import org.jspecify.annotations.Nullable;

/**
 * Reads raw images ({@link RawFormat}). It processes each chunk when its frame has been read, decides which engine creates the objects, and
 * returns the records.
 *
 * <p>Other classes have the state. Each of them knows only those before it:
 *
 * <ul>
 *   <li>{@link RawPieces}: chunks that wait for the end of their record. {@link RawCarving}: the direct engine, which reads them together.
 *   <li>{@link RawObjectSpace}: the objects by their places. {@link RawClassTable}, {@link RawConstants}, {@link RawUpdates}: what else chunks
 *       contain.
 *   <li>{@link RawRecords}: roots of records that have not been requested yet.
 *   <li>{@link RawObjectReader}: the portable engine, with the objects that it has not completed.
 *   <li>{@link RawSideReader}: the compact parts of records, for both engines.
 * </ul>
 *
 * <p>Belongs to one {@link ImageReader}; not thread-safe.
 */
public final class RawImageReader extends RawInput {
    private static final FallbackCount NOT_CLOSED = EngineCounters.fallback(FallbackReason.NOT_CLOSED, "");
    private static final FallbackCount CONSTANT_DIFFERS =
            EngineCounters.fallback(FallbackReason.CLASS_DIFFERS, "a constant");
    private static final FallbackCount RECORDS_UNREAD = EngineCounters.fallback(FallbackReason.RECORDS_UNREAD, "");

    private final ImageReader reader;
    private final RawClassTable classes = new RawClassTable();
    private final RawObjectSpace space;
    private final RawConstants constants;
    private final RawUpdates updates;
    private final RawRecords records;
    private final RawObjectReader objects;
    private final RawSideReader sides;
    private final RawPieces pieces = new RawPieces();
    private @Nullable RawCarving carving;

    private @Nullable RawLayout layout;

    /** Where the chunk began that last began a record. */
    private long beginUnit;

    /** Why the portable engine reads a record that goes on in the next chunk. */
    private @Nullable FallbackCount obstacleOfRecord;

    /** Whether the constants of a chunk are being read, which must not lead into another chunk. */
    private boolean readsConstants;

    // How many chunks of the image each engine has read.
    private int carvedChunks;
    private int portableChunks;

    /** The raw part of a reader, if its image is raw; else null. */
    public static @Nullable RawImageReader of(ImageReader reader) {
        return (RawImageReader) reader.raw();
    }

    /** A reader that leaves nothing to the direct engine, and of which nobody counts what it reads. */
    public static ImageReader portable(TypeResolver resolver) {
        return new ImageReader(resolver, reader -> {
            RawImageReader copies = new RawImageReader(reader);
            copies.keepPortable();
            return copies;
        });
    }

    public RawImageReader(ImageReader reader) {
        this.reader = reader;
        space = new RawObjectSpace(reader);
        constants = new RawConstants(reader);
        updates = new RawUpdates(reader);
        records = new RawRecords(reader, space);
        objects = new RawObjectReader(reader, space, classes, constants, updates);
        sides = new RawSideReader(reader, space, objects, constants);
    }

    /** Leaves everything to the portable engine; before the first image. */
    void keepPortable() {
        carving = RawCarving.OFF;
    }

    /** Begins an image; also lets go of everything that belongs to the one before. Costs next to nothing where there was nothing. */
    @Override
    public void begin() {
        layout = null;
        classes.clear();
        space.clear(0);
        constants.clear();
        updates.clear();
        records.clear();
        objects.clear();
        sides.clear();
        pieces.clear();
        beginUnit = 0;
        obstacleOfRecord = null;
        carvedChunks = 0;
        portableChunks = 0;
    }

    /** How many chunks of the image so far the direct engine has read. */
    public int carvedChunks() {
        return carvedChunks;
    }

    /** How many chunks of the image so far the portable engine has read. */
    public int portableChunks() {
        return portableChunks;
    }

    // ---------------------------------------------------------------- chunks

    /** Reads the chunk in front of a frame's body, at the position of the reader, and moves it behind. */
    @Override
    public void readChunk() {
        if (readsConstants) {
            throw reader.malformed("the constants of a chunk reach beyond its frame");
        }
        byte[] bytes = reader.buffer;
        int p = reader.position;
        RawLayout written = layout;
        if (written == null) {
            require(p, RawFormat.LAYOUT_BYTES);
            written = RawLayout.decode(bytes, p);
            layout = written;
            beginUnit = written.heap().objectAlignmentBytes() >> RawFormat.UNIT_SHIFT;
            space.clear(beginUnit);
            p += RawFormat.LAYOUT_BYTES;
        }
        require(p, RawFormat.HEADER_BYTES);
        RawChunkHeader header = pieces.decodeNext(bytes, p);
        require(p, header.tablesEnd());
        checkHeader(header);
        classes.read(reader, written, header.firstUnit(), bytes, p + RawFormat.HEADER_BYTES, p + header.objects());
        reader.position = p + (int) header.tablesEnd();
        space.forgetBefore(sides.firstUnitInUse(beginUnit));
        readConstants(header.constantCount());
        FallbackCount obstacle = obstacle(bytes, header);
        if (obstacle != null) {
            readPortably(written, obstacle, header);
            readObjects(written, bytes, p, header);
            obstacleOfRecord = header.ends() ? null : obstacle;
            return;
        }
        pieces.addNext(bytes);
        if (!header.ends()) {
            return;
        }
        obstacle = carve(written);
        if (obstacle == null) {
            pieces.clear();
        } else {
            readPortably(written, obstacle, null);
        }
    }

    private void readConstants(int count) {
        readsConstants = true;
        try {
            constants.read(count);
        } finally {
            readsConstants = false;
        }
    }

    private void require(int position, long sizeBytes) {
        if (sizeBytes > reader.limit - position) {
            throw reader.malformed(
                    "a chunk has " + sizeBytes + " bytes, its frame has " + (reader.limit - position) + " left");
        }
    }

    private void checkHeader(RawChunkHeader header) {
        if (header.hasUnknownFlags()) {
            throw reader.malformed("a chunk has flags 0x" + Integer.toHexString(header.flags()));
        }
        long expected = pieces.count() > 0 ? pieces.endUnit() : space.endUnit();
        if (header.firstUnit() != expected) {
            throw reader.malformed("a chunk begins at unit " + header.firstUnit() + ", expected " + expected);
        }
        if (header.begins() != (pieces.count() == 0 && !objects.recordIsOpen())) {
            throw reader.malformed("a chunk " + (header.begins() ? "begins" : "does not begin")
                    + " a record where the one before " + (header.begins() ? "has not ended" : "has ended"));
        }
        if (header.begins()) {
            beginUnit = header.firstUnit();
        }
    }

    @Override
    @Nullable
    public Codec codec(int tag) {
        return tag == RawFormat.TAG_REQUIRED ? RawRequiredCodec.INSTANCE : null;
    }

    /** Whether a record of which chunks have come goes on in the next one. */
    @Override
    public boolean isWithinRecord() {
        return objects.recordIsOpen() || pieces.count() > 0;
    }

    /** Refuses an image that ends here if it ends within a record. */
    @Override
    public void checkEnd() {
        if (isWithinRecord()) {
            throw reader.malformed("the image ends within a record");
        }
    }

    // ---------------------------------------------------------------- engines

    /** Why a chunk must not be left to the direct engine, which takes all chunks of a record at once; null if it may. */
    private @Nullable FallbackCount obstacle(byte[] bytes, RawChunkHeader header) {
        RawCarving engine = carving();
        FallbackCount absence = engine.absence();
        if (absence != null) {
            return absence;
        }
        if (pieces.count() == 0) {
            if (obstacleOfRecord != null) {
                return obstacleOfRecord;
            }
            if (!header.begins() || header.continues() || objects.arrayIsOpen()) {
                return NOT_CLOSED;
            }
        } else if (!pieces.fitsWith(bytes)) {
            return NOT_CLOSED;
        }
        if (records.hasNext()) {
            return RECORDS_UNREAD;
        }
        FallbackCount ofClasses = classes.carved().obstacle;
        if (ofClasses != null) {
            return ofClasses;
        }
        if (header.ends() && !header.isWhole()) {
            return NOT_CLOSED;
        }
        return engine.excess(pieces.objectBytes() + header.objectBytes(), reader.resolver.limits());
    }

    private RawCarving carving() {
        RawCarving engine = carving;
        if (engine == null) {
            engine = RawCarving.create();
            carving = engine;
        }
        return engine;
    }

    /** Leaves the chunks that have waited to the direct engine; returns why it declines, or null. */
    private @Nullable FallbackCount carve(RawLayout written) {
        if (pieces.objectBytes() == 0) {
            return NOT_CLOSED;
        }
        RawCarving.Classes carved = classes.carved();
        FallbackCount ofConstants = constants.obstacle(carved);
        if (ofConstants != null) {
            return ofConstants;
        }
        if (carved.doubtsConstants() && !constantsFit(written)) {
            return CONSTANT_DIFFERS;
        }
        RawCarving engine = carving();
        @Nullable Object[] made = engine.carve(pieces, carved, constants.all());
        if (made == null) {
            return engine.decline();
        }
        carvedChunks += pieces.count();
        reader.tally.addCarvedChunks(pieces.count());
        records.addCarved(pieces, made);
        space.addCarved(pieces, made);
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece piece = pieces.get(i);
            sides.readPatches(piece.bytes(), piece.position(), piece.header, carved);
        }
        return null;
    }

    /** Whether the slots of the chunks that have waited can hold their constants. */
    private boolean constantsFit(RawLayout written) {
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece piece = pieces.get(i);
            classes.prepare(piece.header.firstUnit());
            if (!RawConstantSlots.fit(objects, written, piece, constants.all())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads the chunks that have waited object by object.
     *
     * @param next the chunk behind them that is to be read like them, or null
     */
    private void readPortably(RawLayout written, FallbackCount obstacle, @Nullable RawChunkHeader next) {
        long objectBytes = pieces.objectBytes() + (next == null ? 0 : next.objectBytes());
        objects.expect(objectBytes);
        int chunks = next != null && next.objectBytes() > 0 ? 1 : 0;
        for (int i = 0; i < pieces.count(); i++) {
            chunks += pieces.get(i).header.objectBytes() > 0 ? 1 : 0;
        }
        // Chunks without objects cost nothing either way.
        portableChunks += chunks;
        obstacle.add(chunks);
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece piece = pieces.get(i);
            readObjects(written, piece.bytes(), piece.position(), piece.header);
        }
        pieces.clear();
    }

    private void readObjects(RawLayout written, byte[] bytes, int chunkAt, RawChunkHeader header) {
        objects.read(written, bytes, chunkAt, header);
        sides.readPatches(bytes, chunkAt, header, null);
        records.add(bytes, chunkAt, header);
    }

    // ---------------------------------------------------------------- records

    /** Whether a record can be read without another chunk. */
    @Override
    public boolean hasRecord() {
        return records.hasNext();
    }

    /**
     * Reads all records of the latest chunk at once, if they are ready.
     *
     * @return an array that begins with {@link #readyCount} records; or null if they have to be read one by one
     */
    @Nullable
    public Object @Nullable [] readReady() {
        return records.takeAll();
    }

    public int readyCount() {
        return records.count();
    }

    /** Reads a record: its root, and its compact part if it has one. */
    @Override
    @Nullable
    public Object readRecord() {
        while (!records.hasNext()) {
            if (reader.position < reader.limit) {
                throw reader.malformed("bytes follow the last record of a chunk");
            }
            reader.requireFrame();
        }
        Object root = records.take();
        boolean extended = records.isExtended();
        if (extended) {
            root = sides.read(root, records.latestStart());
        } else if (records.areCarved()) {
            return root;
        }
        if (root instanceof MissingObject missing) {
            throw missing.toException();
        }
        if (!updates.isEmpty()) {
            updates.handOver(extended ? sides.endUnit() : records.nextStart());
        }
        return root;
    }

    /** Takes a side object of the record that is being read, by its number within the record. */
    void sideArrived(int number, @Nullable Object object) {
        sides.arrived(number, object);
    }

    /** The object of the current record to which the compact encoding refers by an index below the record's units. */
    @Override
    public Object copy(int index) {
        return sides.copy(index);
    }
}
