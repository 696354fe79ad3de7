package org.heapspan.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.FallbackReason;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Reads raw images of any heap layout ({@link RawFormat}): the objects of a chunk are made in one pass over their headers and filled
 * in a second, as soon as the frame with the chunk has come. References to objects of later chunks, and to side objects, wait for
 * them.
 *
 * <p>The bytes are trusted to come from a writer of raw images, not to have arrived whole: lengths, places and types are checked,
 * so that altered bytes give an exception and not a broken heap. Belongs to one {@link ImageReader}; not thread-safe.
 */
final class RawImageReader {
    /** Slots that wait for objects of later chunks are kept by target, this many units together. */
    private static final int GROUP_SHIFT = 15;

    private static final FallbackCount NOT_CLOSED = EngineCounters.fallback(FallbackReason.NOT_CLOSED, "");
    private static final FallbackCount CONSTANT_DIFFERS =
            EngineCounters.fallback(FallbackReason.CLASS_DIFFERS, "a constant");
    private static final FallbackCount RECORDS_UNREAD = EngineCounters.fallback(FallbackReason.RECORDS_UNREAD, "");

    private final ImageReader reader;
    private @Nullable RawLayout layout;
    private final RawObjectSpace space = new RawObjectSpace();
    private final RawPendingSlots forward = new RawPendingSlots();
    private final RawClassTable classes = new RawClassTable();
    private final List<Object> constants = new ArrayList<>();

    // The objects of the current chunk.
    private RawClass[] chunkClasses = new RawClass[64];
    private int[] chunkPositions = new int[65];
    private long referenceCount;
    private final RawStrings strings = new RawStrings();
    private long objectsOfRecord;

    // An array that goes on in the next chunk.
    private @Nullable Object longArray;
    private @Nullable RawClass longArrayClass;
    private long longArrayUnit;
    private long longArrayDone;
    private long longArrayBytes;

    // The same array as the current chunk found it.
    private @Nullable RawClass continuedClass;
    private long continuedUnit;

    // Records of which the chunks have come and which have not been asked for yet.
    private int[] roots = new int[16];
    private int rootCount;
    private int nextRoot;

    /** The roots of the latest chunk, followed by its exports, if the direct engine made its objects. */
    private @Nullable Object @Nullable [] carvedRoots;

    /** Chunks that wait for the end of their record. */
    private final RawPieces pieces = new RawPieces();

    /** Bytes of objects in chunks that have come and are still to be read object by object. */
    private long unreadBytes;

    /** Whether the latest chunk that was read object by object has not ended its record. */
    private boolean recordIsOpen;

    private @Nullable RawCarving carving;

    // How many chunks of the image each engine has read.
    private int carvedChunks;
    private int portableChunks;

    /** Why the portable engine reads a record that goes on in the next chunk. */
    private @Nullable FallbackCount obstacleOfRecord;

    // So many constants are known to fit these classes.
    private int checkedConstants;
    private RawCarving.@Nullable Classes checkedClasses;

    private int[] extendedRecords = new int[4];
    private long[] extendedStarts = new long[4];
    private int extensionCount;
    private int nextExtension;

    /** Where the chunk began that last began a record. */
    private long beginUnit;

    /** Whether the constants of a chunk are being read, which must not lead into another chunk. */
    private boolean readsConstants;

    /** Whether the compact part of a record is being read. */
    private boolean inExtension;

    // Records that have a compact part.
    private long recordStart;
    private int firstSide;
    private int sideCount;
    private int rootSide;
    private @Nullable Object rootSideObject;
    private final RawPendingSlots sides = new RawPendingSlots();
    private final List<Update> updates = new ArrayList<>(0);

    private record Update(long unit, UpdatingCodec codec, Object object) {}

    RawImageReader(ImageReader reader) {
        this.reader = reader;
    }

    RawLayout layout() {
        RawLayout known = layout;
        if (known == null) {
            throw new IllegalStateException("no frame has been read");
        }
        return known;
    }

    ImageReader imageReader() {
        return reader;
    }

    HeapspanException malformed(String what) {
        return reader.malformed(what);
    }

    /** Begins an image; also lets go of everything that belongs to the one before. */
    void begin() {
        layout = null;
        space.clear(0);
        forward.clear();
        classes.clear();
        constants.clear();
        Arrays.fill(chunkClasses, null);
        strings.clear();
        objectsOfRecord = 0;
        longArray = null;
        longArrayClass = null;
        continuedClass = null;
        carvedChunks = 0;
        portableChunks = 0;
        obstacleOfRecord = null;
        pieces.clear();
        recordIsOpen = false;
        forgetReadRoots();
        checkedConstants = 0;
        checkedClasses = null;
        beginUnit = 0;
        readsConstants = false;
        inExtension = false;
        recordStart = 0;
        firstSide = 0;
        sideCount = 0;
        rootSideObject = null;
        sides.clear();
        updates.clear();
    }

    // ---------------------------------------------------------------- chunks

    /** Reads the chunk in front of a frame's body, at the position of the reader, and moves it behind. */
    void readChunk() {
        if (readsConstants) {
            throw malformed("the constants of a chunk reach beyond its frame");
        }
        byte[] bytes = reader.buffer;
        int p = reader.position;
        if (layout == null) {
            require(p, RawFormat.LAYOUT_BYTES);
            RawLayout written = RawLayout.decode(bytes, p);
            layout = written;
            beginUnit = written.heap().objectAlignmentBytes() >> RawFormat.UNIT_SHIFT;
            space.clear(beginUnit);
            p += RawFormat.LAYOUT_BYTES;
        }
        require(p, RawFormat.HEADER_BYTES);
        RawChunkHeader header = chunkHeader;
        header.decode(bytes, p);
        require(p, header.tablesEnd());
        checkHeader(header);
        classes.read(reader, layout(), bytes, p + RawFormat.HEADER_BYTES, p + header.objects());
        reader.position = p + (int) header.tablesEnd();
        space.forgetBefore(inExtension ? recordStart : beginUnit);
        readsConstants = true;
        readConstants(header.constantCount());
        readsConstants = false;
        FallbackCount obstacle = obstacle(bytes, header);
        boolean waits = obstacle == null;
        if (obstacle == null) {
            pieces.add(bytes, p);
            if (!header.ends()) {
                return;
            }
            obstacle = carve();
            if (obstacle == null) {
                pieces.clear();
                return;
            }
        }
        countPortable(obstacle, waits ? 0 : header.objectBytes());
        obstacleOfRecord = header.ends() ? null : obstacle;
        unreadBytes = pieces.objectBytes() + (waits ? 0 : header.objectBytes());
        readPieces();
        if (!waits) {
            readObjects(bytes, p, header);
        }
    }

    private final RawChunkHeader chunkHeader = new RawChunkHeader();

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
            if (!header.begins() || header.continues() || longArray != null) {
                return NOT_CLOSED;
            }
        } else if (!pieces.contains(bytes)) {
            return NOT_CLOSED;
        }
        if (nextRoot < rootCount) {
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

    /** Counts the chunks that have waited, and one more of so many bytes of objects; those without objects cost nothing either way. */
    private void countPortable(FallbackCount obstacle, int objectBytes) {
        int chunks = objectBytes > 0 ? 1 : 0;
        for (int i = 0; i < pieces.count(); i++) {
            chunks += pieces.get(i).header.objectBytes() > 0 ? 1 : 0;
        }
        portableChunks += chunks;
        obstacle.add(chunks);
    }

    /** How many chunks of the image so far the direct engine has read. */
    int carvedChunks() {
        return carvedChunks;
    }

    /** How many chunks of the image so far the portable engine has read. */
    int portableChunks() {
        return portableChunks;
    }

    /** Leaves everything to the portable engine; before the first image. */
    void keepPortable() {
        carving = RawCarving.OFF;
    }

    /** Reads the chunks that have waited. */
    private void readPieces() {
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece piece = pieces.get(i);
            readObjects(pieces.bytes(), piece.position(), piece.header);
        }
        pieces.clear();
    }

    /** Reads a chunk object by object. */
    private void readObjects(byte[] bytes, int p, RawChunkHeader header) {
        checkContinuity(header);
        unreadBytes -= header.objectBytes();
        continuedClass = longArrayClass;
        continuedUnit = longArrayUnit;
        int objectsAt = p + header.objects();
        int bitmapAt = objectsAt + header.objectBytes();
        allocate(bytes, objectsAt, bitmapAt);
        fill(bytes, objectsAt, bitmapAt, p + header.constantPatches(), header.constantPatchCount());
        checkBitmap(bytes, bitmapAt, p + header.constantPatches());
        readSidePatches(bytes, p + header.sidePatches(), header.sidePatchCount(), null);
        readRoots(bytes, p, header);
        resolveForward(header.firstUnit());
        if (!strings.settle(longArray == null) && forward.isEmpty()) {
            throw malformed("a string has no characters, or such that do not fit together");
        }
        recordIsOpen = !header.ends();
        if (header.ends() && (!forward.isEmpty() || longArray != null)) {
            throw malformed("a record ends, and some of its objects are missing");
        }
    }

    /** Whether a record of which chunks have come goes on in the next one. */
    boolean isWithinRecord() {
        return recordIsOpen || pieces.count() > 0;
    }

    /** Refuses an image that ends here if it ends within a record. */
    void checkEnd() {
        if (isWithinRecord()) {
            throw malformed("the image ends within a record");
        }
    }

    /** Leaves the chunks that have waited to the direct engine; returns why it declines, or null. */
    private @Nullable FallbackCount carve() {
        RawCarving engine = carving();
        RawCarving.Classes carved = classes.carved();
        if (pieces.objectBytes() == 0) {
            return NOT_CLOSED;
        }
        if (carved != checkedClasses) {
            checkedClasses = carved;
            checkedConstants = 0;
        }
        for (; checkedConstants < constants.size(); checkedConstants++) {
            Object constant = constants.get(checkedConstants);
            if (!carved.admits(constant)) {
                return EngineCounters.fallback(
                        FallbackReason.CLASS_DIFFERS, constant.getClass().getName());
            }
        }
        if (carved.doubtsConstants()) {
            for (int i = 0; i < pieces.count(); i++) {
                if (!RawConstantSlots.fit(this, classes, pieces.bytes(), pieces.get(i), constants)) {
                    return CONSTANT_DIFFERS;
                }
            }
        }
        @Nullable Object[] made = engine.carve(pieces, carved, constants);
        if (made == null) {
            return engine.decline();
        }
        carvedChunks += pieces.count();
        reader.tally.addCarvedChunks(pieces.count());
        forgetReadRoots();
        int roots = 0;
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece piece = pieces.get(i);
            readExtensions(pieces.bytes(), piece.position(), piece.header, roots);
            roots += piece.header.rootCount();
        }
        carvedRoots = made;
        rootCount = roots;
        addExports(made, roots);
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece piece = pieces.get(i);
            int patchesAt = piece.position() + piece.header.sidePatches();
            readSidePatches(pieces.bytes(), patchesAt, piece.header.sidePatchCount(), carved);
        }
        return null;
    }

    /** Makes the exports, which follow the roots in an array, findable by their units. */
    private void addExports(@Nullable Object[] made, int firstExport) {
        int count = made.length - firstExport;
        // The unit above the place in the array: sorted, they give both.
        long[] units = new long[count];
        int next = 0;
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece piece = pieces.get(i);
            int p = piece.position() + piece.header.exports();
            for (int k = 0; k < piece.header.exportCount(); k++) {
                units[next] = (long) word(pieces.bytes(), p) << Integer.SIZE | next;
                next++;
                p += RawFormat.EXPORT_BYTES;
            }
        }
        Arrays.sort(units);
        @Nullable Object[] exported = new Object[count];
        for (int i = 0; i < count; i++) {
            exported[i] = made[firstExport + (int) units[i]];
            units[i] >>>= Integer.SIZE;
        }
        space.addExporting((int) (pieces.objectBytes() >> RawFormat.UNIT_SHIFT), units, exported);
    }

    private RawCarving carving() {
        RawCarving engine = carving;
        if (engine == null) {
            engine = RawCarving.create();
            carving = engine;
        }
        return engine;
    }

    private void forgetReadRoots() {
        carvedRoots = null;
        rootCount = 0;
        nextRoot = 0;
        extensionCount = 0;
        nextExtension = 0;
    }

    private void readRoots(byte[] bytes, int chunkAt, RawChunkHeader header) {
        if (nextRoot == rootCount) {
            forgetReadRoots();
        } else if (carvedRoots != null) {
            throw malformed("a chunk comes before all records of the one before it");
        }
        int firstRoot = rootCount;
        int count = header.rootCount();
        if (count > roots.length - firstRoot) {
            roots = Arrays.copyOf(roots, Math.max(firstRoot + count, 2 * roots.length));
        }
        int p = chunkAt + header.roots();
        for (int i = 0; i < count; i++) {
            int unit = word(bytes, p);
            if (unit != 0 && !header.ends()) {
                throw malformed("a record has its root in a chunk that does not end it");
            }
            roots[firstRoot + i] = unit;
            p += RawFormat.ROOT_BYTES;
        }
        rootCount = firstRoot + count;
        readExtensions(bytes, chunkAt, header, firstRoot);
    }

    private void readExtensions(byte[] bytes, int chunkAt, RawChunkHeader header, int firstRoot) {
        int p = chunkAt + header.extensions();
        for (int i = 0; i < header.extensionCount(); i++) {
            int record = word(bytes, p);
            if (record < 0 || record >= header.rootCount()) {
                throw malformed(
                        "record " + record + " of a chunk of " + header.rootCount() + " goes on in the compact part");
            }
            addExtension(firstRoot + record, word(bytes, p + Integer.BYTES) & 0xFFFFFFFFL);
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

    private static int word(byte[] bytes, int position) {
        return (int) ImageFormat.INT.get(bytes, position);
    }

    private void require(int position, long sizeBytes) {
        if (sizeBytes > reader.limit - position) {
            throw malformed(
                    "a chunk has " + sizeBytes + " bytes, its frame has " + (reader.limit - position) + " left");
        }
    }

    private void checkHeader(RawChunkHeader header) {
        if (header.hasUnknownFlags()) {
            throw malformed("a chunk has flags 0x" + Integer.toHexString(header.flags()));
        }
        long expected = pieces.count() > 0 ? pieces.endUnit() : space.endUnit();
        if (header.firstUnit() != expected) {
            throw malformed("a chunk begins at unit " + header.firstUnit() + ", expected " + expected);
        }
        if (header.begins() != (pieces.count() == 0 && !recordIsOpen)) {
            throw malformed("a chunk " + (header.begins() ? "begins" : "does not begin")
                    + " a record where the one before " + (header.begins() ? "has not ended" : "has ended"));
        }
        if (header.begins()) {
            objectsOfRecord = 0;
            beginUnit = header.firstUnit();
        }
    }

    private void checkContinuity(RawChunkHeader header) {
        if (header.continues() != (longArray != null)) {
            throw malformed("a chunk does not go on where the one before ended");
        }
    }

    private void readConstants(int count) {
        for (int i = 0; i < count; i++) {
            Codec codec = reader.codecOfTag(reader.readTag());
            if (!(codec instanceof LeafCodec leaf)) {
                throw malformed("a constant is a " + codec.type.getName());
            }
            constants.add(leaf.readValue(reader));
        }
    }

    /** Makes the objects, each of which must begin where the last ended. */
    private void allocate(byte[] bytes, int start, int end) {
        RawLayout heap = layout();
        space.begin(end - start >> RawFormat.UNIT_SHIFT);
        int p = start + partOfLongArray(end - start);
        while (p < end) {
            if (end - p < heap.leastObjectBytes()) {
                throw malformed("an object has " + (end - p) + " bytes");
            }
            RawClass type = classes.of(reader, heap.classWordAt(bytes, p));
            if (end - p < type.headBytes()) {
                throw malformed(
                        "an array of " + type.type.getName() + " has " + (end - p) + " bytes in its first chunk");
            }
            long sizeBytes = type.sizeBytes(this, bytes, p);
            if (sizeBytes > end - p) {
                if (p > start || !(type instanceof RawClass.Array)) {
                    throw malformed("an object of " + type.type.getName() + " has " + sizeBytes
                            + " bytes, its chunk has " + (end - p) + " left");
                }
                reader.requireAhead(sizeBytes - (end - p) - unreadBytes);
                longArrayBytes = sizeBytes;
                longArrayClass = type;
                longArrayDone = 0;
            }
            Object object = type.allocate(this, bytes, p);
            noteObject(type, object, p, start);
            if (sizeBytes > end - p) {
                longArray = object;
                longArrayUnit = space.firstUnit() + (p - start >> RawFormat.UNIT_SHIFT);
                p = end;
            } else {
                p += (int) sizeBytes;
            }
        }
        chunkPositions[space.count()] = end;
        space.complete();
    }

    private int partOfLongArray(int chunkBytes) {
        if (longArray == null) {
            return 0;
        }
        long rest = longArrayBytes - longArrayDone;
        return rest < chunkBytes ? (int) rest : chunkBytes;
    }

    private void noteObject(RawClass type, Object object, int position, int start) {
        int count = space.count();
        if (++objectsOfRecord > reader.resolver.limits().maxObjects()) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image holds more than " + reader.resolver.limits().maxObjects()
                            + " objects, the limit of this reader (maxObjects)");
        }
        if (count == chunkClasses.length) {
            chunkClasses = Arrays.copyOf(chunkClasses, count * 2);
            chunkPositions = Arrays.copyOf(chunkPositions, count * 2 + 1);
        }
        chunkClasses[count] = type;
        chunkPositions[count] = position;
        int unit = position - start >> RawFormat.UNIT_SHIFT;
        space.add(object, unit);
        UpdatingCodec updating = type.updating;
        if (updating != null) {
            updates.add(new Update(space.firstUnit() + unit, updating, object));
        }
    }

    /** Checks the length of an array before it is made. */
    void checkArrayLength(int length) {
        if (length > reader.resolver.limits().maxArrayLength()) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "an array of " + length + " elements exceeds the limit of this reader (maxArrayLength "
                            + reader.resolver.limits().maxArrayLength() + ")");
        }
    }

    private void fill(byte[] bytes, int start, int end, int patchesAt, int patchCount) {
        referenceCount = 0;
        int patch = 0;
        Object goesOn = longArray;
        RawClass goesOnClass = longArrayClass;
        if (goesOn != null && goesOnClass != null && longArrayDone > 0) {
            int part = partOfLongArray(end - start);
            goesOnClass.fill(this, goesOn, bytes, start, longArrayDone, longArrayDone + part);
            patch = applyConstants(bytes, patchesAt, patch, patchCount, part, goesOnClass, goesOn, longArrayDone);
            passLongArray(part);
        }
        int count = space.count();
        for (int i = 0; i < count; i++) {
            int position = chunkPositions[i];
            int sizeBytes = chunkPositions[i + 1] - position;
            RawClass type = chunkClasses[i];
            Object object = space.object(i);
            type.fill(this, object, bytes, position, 0, sizeBytes);
            int last = position + sizeBytes - start;
            patch = applyConstants(bytes, patchesAt, patch, patchCount, last, type, object, (long) start - position);
            if (object == longArray) {
                passLongArray(sizeBytes);
            }
        }
        if (patch < patchCount) {
            throw malformed("a patch lies in no object");
        }
    }

    private void passLongArray(int partBytes) {
        longArrayDone += partBytes;
        if (longArrayDone == longArrayBytes) {
            longArray = null;
            longArrayClass = null;
        }
    }

    /** Puts in the constants before a place in the chunk, all of which belong to an object; returns the first that does not. */
    private int applyConstants(
            byte[] bytes,
            int patchesAt,
            int first,
            int count,
            int placeBytes,
            RawClass type,
            Object object,
            long offsetOfChunk) {
        int patch = first;
        for (; patch < count; patch++) {
            int at = patchesAt + patch * RawFormat.CONSTANT_PATCH_BYTES;
            long place = (word(bytes, at) & 0xFFFFFFFFL) << RawFormat.BITMAP_SLOT_SHIFT;
            if (place >= placeBytes) {
                return patch;
            }
            type.put(this, object, place + offsetOfChunk, constant(word(bytes, at + Integer.BYTES) & 0xFFFFFFFFL));
        }
        return patch;
    }

    /** Lets slots of the chunk's objects wait for side objects. */
    private void readSidePatches(byte[] bytes, int patchesAt, int count, RawCarving.@Nullable Classes carved) {
        int p = patchesAt;
        for (int i = 0; i < count; i++) {
            long unit = word(bytes, p) & 0xFFFFFFFFL;
            Object holder = objectAt(unit);
            RawClass type = carved == null ? classAt(unit) : carved.of(holder);
            if (type == null) {
                throw malformed("an object of " + holder.getClass().getName() + " refers to a side object");
            }
            long offset = (long) ImageFormat.LONG.get(bytes, p + 2 * Integer.BYTES);
            if (!type.drops(offset)) {
                sides.add(word(bytes, p + Integer.BYTES) & 0xFFFFFFFFL, type, holder, offset, 0);
            }
            p += RawFormat.SIDE_PATCH_BYTES;
        }
    }

    /** The class of an object that begins at a unit of this chunk, or goes on in it. */
    private RawClass classAt(long unit) {
        int index = space.indexInChunk(unit);
        if (index >= 0) {
            return chunkClasses[index];
        }
        RawClass type = continuedClass;
        if (type == null || unit != continuedUnit) {
            throw malformed("an object at unit " + unit + " refers to a side object and lies in no part of the chunk");
        }
        return type;
    }

    private Object constant(long number) {
        if (number >= constants.size()) {
            throw malformed("constant " + number + " is used, " + constants.size() + " are known");
        }
        return constants.get((int) number);
    }

    /** The portable reader has no need of the bitmap; that it is right is worth knowing before another reader uses it. */
    private void checkBitmap(byte[] bytes, int start, int end) {
        long marked = 0;
        for (int p = start; p < end; p += Long.BYTES) {
            marked += Long.bitCount((long) ImageFormat.LONG.get(bytes, p));
        }
        if (marked != referenceCount && !classes.isMissingAny()) {
            throw malformed("a chunk has " + referenceCount + " references, its bitmap has " + marked);
        }
    }

    /**
     * Reads a reference slot.
     *
     * @return the object; null if there is none, or if it has not come yet, when the slot is filled later
     */
    @Nullable
    Object readReference(RawClass type, Object holder, long offset, byte[] bytes, int position) {
        long unit = layout().heap().referenceSizeBytes() == Integer.BYTES
                ? word(bytes, position) & 0xFFFFFFFFL
                : (long) ImageFormat.LONG.get(bytes, position);
        if (unit == 0) {
            return null;
        }
        referenceCount++;
        if (unit > 0 && unit < space.endUnit()) {
            return objectAt(unit);
        }
        if (unit < 0 || unit >= RawFormat.SPACE_LIMIT_BYTES >> RawFormat.UNIT_SHIFT) {
            throw malformed("a reference leads to unit " + unit);
        }
        forward.add(unit >>> GROUP_SHIFT, type, holder, offset, unit);
        return null;
    }

    private Object objectAt(long unit) {
        Object object = space.at(unit);
        if (object == null) {
            throw malformed("a reference leads to unit " + unit + ", where no object begins");
        }
        return object;
    }

    /** Fills the slots that waited for objects of this chunk. */
    private void resolveForward(long firstUnit) {
        if (forward.isEmpty()) {
            return;
        }
        long end = space.endUnit();
        for (long group = firstUnit >>> GROUP_SHIFT; group <= end >>> GROUP_SHIFT; group++) {
            RawPendingSlots.Group waiting = forward.take(group);
            if (waiting == null) {
                continue;
            }
            for (int i = 0; i < waiting.count(); i++) {
                long unit = waiting.target(i);
                if (unit < end) {
                    waiting.put(this, i, objectAt(unit));
                } else {
                    forward.addAgain(group, waiting, i);
                }
            }
        }
    }

    /** The strings that are not finished yet. */
    RawStrings strings() {
        return strings;
    }

    // ---------------------------------------------------------------- records

    /** Whether a record can be read without another chunk. */
    boolean hasRecord() {
        return nextRoot < rootCount;
    }

    /**
     * Reads all records of the latest chunk at once, if they are ready.
     *
     * @return an array that begins with {@link #readyCount} records; or null if they have to be read one by one
     */
    @Nullable
    Object @Nullable [] readReady() {
        @Nullable Object[] made = carvedRoots;
        if (made == null || rootCount == 0 || nextRoot > 0 || extensionCount > 0) {
            return null;
        }
        nextRoot = rootCount;
        return made;
    }

    int readyCount() {
        return rootCount;
    }

    /** Reads a record: its root, and its compact part if it has one. */
    @Nullable
    Object readRecord() {
        while (nextRoot == rootCount) {
            if (reader.position < reader.limit) {
                throw malformed("bytes follow the last record of a chunk");
            }
            reader.requireFrame();
        }
        int record = nextRoot++;
        @Nullable Object[] carved = carvedRoots;
        long unit = carved == null ? roots[record] & 0xFFFFFFFFL : 0;
        Object root = carved != null ? carved[record] : unit == 0 ? null : objectAt(unit);
        if (nextExtension < extensionCount && extendedRecords[nextExtension] == record) {
            return readExtended(root, extendedStarts[nextExtension++]);
        }
        if (carved != null) {
            return root;
        }
        if (root instanceof MissingClassCodec.Placeholder missing) {
            throw missing.toException();
        }
        if (!updates.isEmpty()) {
            handOverUpdates(nextRecordStart());
        }
        return root;
    }

    /** Where the next record begins that has objects. */
    private long nextRecordStart() {
        int extension = nextExtension;
        for (int record = nextRoot; record < rootCount; record++) {
            if (extension < extensionCount && extendedRecords[extension] == record) {
                return extendedStarts[extension];
            }
            if (roots[record] != 0) {
                return roots[record] & 0xFFFFFFFFL;
            }
        }
        return space.endUnit();
    }

    private @Nullable Object readExtended(@Nullable Object copiedRoot, long start) {
        if (start > space.endUnit()) {
            throw malformed("a record begins at unit " + start);
        }
        recordStart = start;
        inExtension = true;
        long rootNumber = reader.readNumber();
        long units = reader.readNumber();
        if (units < 0 || units > space.endUnit() - start) {
            throw malformed("a record has " + units + " units, of which " + (space.endUnit() - start) + " have come");
        }
        int kind = (int) rootNumber & (1 << RawFormat.ROOT_SHIFT) - 1;
        long number = rootNumber >>> RawFormat.ROOT_SHIFT;
        rootSide = kind == RawFormat.ROOT_SIDE ? (int) Math.min(number, Integer.MAX_VALUE) : -1;
        readSides(units);
        Object root = switch (kind) {
            case RawFormat.ROOT_NULL -> null;
            case RawFormat.ROOT_OBJECT -> copiedRoot;
            case RawFormat.ROOT_CONSTANT -> constant(number);
            default -> rootSideObject;
        };
        rootSideObject = null;
        if (root instanceof MissingClassCodec.Placeholder missing) {
            throw missing.toException();
        }
        inExtension = false;
        firstSide += sideCount;
        if (!updates.isEmpty()) {
            handOverUpdates(start + units);
        }
        return root;
    }

    private void readSides(long units) {
        reader.setFirstIndex((int) Math.min(units, Integer.MAX_VALUE));
        sideCount = 0;
        int section = reader.beginSection();
        for (int number = reader.readCount(); number != RawFormat.SIDES_END; number = reader.readCount()) {
            boolean drops = isDropped(number - 1);
            reader.beginDropping(drops);
            Object object = reader.readReference(null);
            reader.endDropping(drops);
            sideArrived(number - 1, object);
        }
        reader.endSection(section);
    }

    private boolean isDropped(int number) {
        return number != rootSide && !sides.contains((long) firstSide + number);
    }

    /** Fills the slots that waited for a side object. */
    void sideArrived(int number, @Nullable Object object) {
        sideCount = Math.max(sideCount, number + 1);
        if (number == rootSide) {
            rootSideObject = object;
        }
        RawPendingSlots.Group waiting = sides.take((long) firstSide + number);
        if (waiting != null && object != null) {
            for (int i = 0; i < waiting.count(); i++) {
                waiting.put(this, i, object);
            }
        }
    }

    /** The object of the current record to which the compact encoding refers by an index below the record's units. */
    Object copy(int index) {
        Object object = objectAt(recordStart + index);
        if (object instanceof MissingClassCodec.Placeholder missing && !reader.dropping()) {
            throw missing.toException();
        }
        return object;
    }

    private void handOverUpdates(long end) {
        int count = 0;
        while (count < updates.size() && updates.get(count).unit() < end) {
            Update update = updates.get(count);
            reader.updateLater(update.codec(), update.object());
            count++;
        }
        updates.subList(0, count).clear();
    }
}
