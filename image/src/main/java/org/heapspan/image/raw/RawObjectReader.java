package org.heapspan.image.raw;

import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ElementSlots;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.serialization.UpdatingCodec;
import org.jspecify.annotations.Nullable;

/**
 * Reads chunks of raw images of any heap layout, object by object. It creates the objects in one pass over their headers, and fills them in
 * a second pass. References to objects of later chunks wait here.
 *
 * <p>It has the incomplete data: slots, strings, and an array that is split into several chunks. Complete objects are in the {@link
 * RawObjectSpace}. The {@link RawClass} of an object creates and fills it, and calls {@link #readReference} for its references.
 *
 * <p>The bytes must come from a trusted writer, but may be damaged: lengths, places and types are checked. Belongs to one {@link
 * RawImageReader}; not thread-safe.
 */
final class RawObjectReader {
    /** Slots that wait for objects of later chunks are kept by target, this many units together. */
    private static final int GROUP_SHIFT = 15;

    private final ImageReader reader;
    private final RawObjectSpace space;
    private final RawClassTable classes;
    private final RawConstants constants;
    private final RawUpdates updates;

    private final RawChunkObjects chunk = new RawChunkObjects();
    private final RawLongArray longArray = new RawLongArray();
    private final RawPendingSlots forward = new RawPendingSlots();
    private final RawStrings strings = new RawStrings();

    private boolean wideReferences;
    private boolean recordIsOpen;
    private long objectsOfRecord;
    private long referencesOfChunk;

    /** Bytes of objects in chunks that have come and are still to be read. */
    private long unreadBytes;

    // The patches of the chunk that put constants into slots further on, by their positions.
    private int nextPatch;
    private int patchesEnd;

    RawObjectReader(
            ImageReader reader,
            RawObjectSpace space,
            RawClassTable classes,
            RawConstants constants,
            RawUpdates updates) {
        this.reader = reader;
        this.space = space;
        this.classes = classes;
        this.constants = constants;
        this.updates = updates;
    }

    /** Forgets everything. */
    void clear() {
        chunk.clear();
        longArray.clear();
        forward.clear();
        strings.clear();
        recordIsOpen = false;
        unreadBytes = 0;
    }

    HeapspanException malformed(String what) {
        return reader.malformed(what);
    }

    void store(Object[] array, int index, Object element) {
        ElementSlots.store(reader, array, index, element);
    }

    /** Whether the chunk that was read last has not ended its record. */
    boolean recordIsOpen() {
        return recordIsOpen;
    }

    /** Whether parts of an array are still to come. */
    boolean arrayIsOpen() {
        return longArray.isOpen();
    }

    /** Announces chunks with so many bytes of objects, which need not be asked of the source. */
    void expect(long objectBytes) {
        unreadBytes = objectBytes;
    }

    /** Reads the chunk that begins at a position, whose header and tables are known to lie in the bytes. */
    void read(RawLayout layout, byte[] bytes, int chunkAt, RawChunkHeader header) {
        if (header.continues() != longArray.isOpen()) {
            throw malformed("a chunk does not go on where the one before ended");
        }
        if (header.begins()) {
            objectsOfRecord = 0;
        }
        unreadBytes -= header.objectBytes();
        wideReferences = layout.heap().referenceSizeBytes() == Long.BYTES;
        classes.prepare(header.firstUnit());
        longArray.beginChunk();
        int start = chunkAt + header.objects();
        int end = chunkAt + header.bitmap();
        allocate(layout, bytes, start, end);
        nextPatch = chunkAt + header.constantPatches();
        patchesEnd = chunkAt + header.sidePatches();
        fill(bytes, start, end);
        checkBitmap(bytes, end, chunkAt + header.constantPatches());
        resolveForward(header.firstUnit());
        checkFinished(header.ends());
        recordIsOpen = !header.ends();
    }

    /** Makes the objects, each of which must begin where the last ended. */
    private void allocate(RawLayout layout, byte[] bytes, int start, int end) {
        chunk.begin(end - start >> RawFormat.UNIT_SHIFT);
        int p = start + longArray.partBytes(end - start);
        while (p < end) {
            if (end - p < layout.leastObjectBytes()) {
                throw malformed("an object has " + (end - p) + " bytes");
            }
            RawClass type = classOf(layout.classWordAt(bytes, p));
            if (end - p < type.headBytes()) {
                throw malformed(
                        "an array of " + type.type.getName() + " has " + (end - p) + " bytes in its first chunk");
            }
            long sizeBytes = type.sizeBytes(this, bytes, p);
            if (sizeBytes > end - p) {
                checkLongArray(type, sizeBytes, p - start, end - p);
            }
            Object object = type.allocate(this, bytes, p);
            int unitInChunk = p - start >> RawFormat.UNIT_SHIFT;
            note(type, object, p, unitInChunk);
            if (sizeBytes > end - p) {
                longArray.begin(type, object, space.endUnit() + unitInChunk, sizeBytes);
                p = end;
            } else {
                p += (int) sizeBytes;
            }
        }
        chunk.end(end);
        space.addComplete(end - start >> RawFormat.UNIT_SHIFT, chunk.copyOfObjects(), chunk.starts());
    }

    /** The class of objects with a class word. */
    RawClass classOf(long classWord) {
        return classes.of(reader, classWord);
    }

    /** Checks an object that is larger than what is left of its chunk, before it is made. */
    private void checkLongArray(RawClass type, long sizeBytes, int bytesBefore, int bytesLeft) {
        if (bytesBefore > 0 || !(type instanceof RawClass.Array)) {
            throw malformed("an object of " + type.type.getName() + " has " + sizeBytes + " bytes, its chunk has "
                    + bytesLeft + " left");
        }
        reader.requireAhead(sizeBytes - bytesLeft - unreadBytes);
    }

    private void note(RawClass type, Object object, int position, int unitInChunk) {
        if (++objectsOfRecord > reader.resolver.limits().maxObjects()) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image holds more than " + reader.resolver.limits().maxObjects()
                            + " objects, the limit of this reader (maxObjects)");
        }
        chunk.add(type, object, position, unitInChunk);
        UpdatingCodec updating = type.updating;
        if (updating != null) {
            updates.add(space.endUnit() + unitInChunk, updating, object);
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

    private void fill(byte[] bytes, int start, int end) {
        referencesOfChunk = 0;
        Object begun = longArray.begun();
        RawClass begunType = longArray.type();
        if (begun != null && begunType != null) {
            long done = longArray.doneBytes();
            int part = longArray.partBytes(end - start);
            begunType.fill(this, begun, bytes, start, done, done + part);
            putConstants(bytes, part, begunType, begun, done);
            longArray.pass(part);
        }
        int count = chunk.count();
        for (int i = 0; i < count; i++) {
            RawClass type = chunk.type(i);
            Object object = chunk.object(i);
            int position = chunk.position(i);
            int sizeBytes = chunk.position(i + 1) - position;
            type.fill(this, object, bytes, position, 0, sizeBytes);
            if (nextPatch < patchesEnd) {
                putConstants(bytes, position + sizeBytes - start, type, object, (long) start - position);
            }
            if (longArray.is(object)) {
                longArray.pass(sizeBytes);
            }
        }
        if (nextPatch < patchesEnd) {
            throw malformed("a patch lies in no object");
        }
    }

    /** Puts constants into the slots before a place in the chunk, all of which belong to an object. */
    private void putConstants(byte[] bytes, int endInChunk, RawClass type, Object object, long offsetOfChunk) {
        for (; nextPatch < patchesEnd; nextPatch += RawFormat.CONSTANT_PATCH_BYTES) {
            long place = (word(bytes, nextPatch) & 0xFFFFFFFFL) << RawFormat.BITMAP_SLOT_SHIFT;
            if (place >= endInChunk) {
                return;
            }
            Object constant = constants.get(word(bytes, nextPatch + Integer.BYTES) & 0xFFFFFFFFL);
            type.put(this, object, place + offsetOfChunk, constant);
        }
    }

    private static int word(byte[] bytes, int position) {
        return (int) ImageFormat.INT.get(bytes, position);
    }

    /** Nothing here has need of the bitmap; that it is right is worth knowing before another reader uses it. */
    private void checkBitmap(byte[] bytes, int start, int end) {
        long marked = 0;
        for (int p = start; p < end; p += Long.BYTES) {
            marked += Long.bitCount((long) ImageFormat.LONG.get(bytes, p));
        }
        if (marked != referencesOfChunk && !classes.isMissingAny()) {
            throw malformed("a chunk has " + referencesOfChunk + " references, its bitmap has " + marked);
        }
    }

    /**
     * Reads a reference slot.
     *
     * @return the object; null if there is none, or if it has not come yet, when the slot is filled later
     */
    @Nullable
    Object readReference(RawClass type, Object holder, long offset, byte[] bytes, int position) {
        long unit = wideReferences ? (long) ImageFormat.LONG.get(bytes, position) : word(bytes, position) & 0xFFFFFFFFL;
        if (unit == 0) {
            return null;
        }
        referencesOfChunk++;
        if (unit > 0 && unit < space.endUnit()) {
            return space.objectAt(unit);
        }
        if (unit < 0 || unit >= RawFormat.SPACE_LIMIT_BYTES >> RawFormat.UNIT_SHIFT) {
            throw malformed("a reference leads to unit " + unit);
        }
        forward.add(unit >>> GROUP_SHIFT, type, holder, offset, unit);
        return null;
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
                    waiting.put(this, i, space.objectAt(unit));
                } else {
                    forward.addAgain(group, waiting, i);
                }
            }
        }
    }

    private void checkFinished(boolean recordEnds) {
        if (!strings.settle(!longArray.isOpen()) && forward.isEmpty()) {
            throw malformed("a string has no characters, or such that do not fit together");
        }
        if (recordEnds && (!forward.isEmpty() || longArray.isOpen())) {
            throw malformed("a record ends, and some of its objects are missing");
        }
    }

    /** The strings that are not finished yet. */
    RawStrings strings() {
        return strings;
    }

    /** The class of an object that begins at a unit of the chunk that was read last, or goes on in it. */
    RawClass classAt(long unit) {
        int index = space.indexInLatest(unit);
        RawClass type = index >= 0 ? chunk.type(index) : longArray.continuedAt(unit);
        if (type == null) {
            throw malformed("an object at unit " + unit + " refers to a side object and lies in no part of the chunk");
        }
        return type;
    }
}
