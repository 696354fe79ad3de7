package org.heapspan.image.raw;

import java.util.Comparator;
import java.util.PriorityQueue;
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
 * a second pass. A chunk with references to objects of later chunks waits with its bytes until these objects exist. So each slot is read
 * once, and no slot has to be remembered.
 *
 * <p>It has the incomplete data: chunks that wait, strings, and an array that is split into several chunks. Complete objects are in the {@link
 * RawObjectSpace}. The {@link RawClass} of an object creates and fills it, and calls {@link #readReference} for its references.
 *
 * <p>The bytes must come from a trusted writer, but may be damaged: lengths, places and types are checked. Belongs to one {@link
 * RawImageReader}; not thread-safe.
 */
final class RawObjectReader {
    private final ImageReader reader;
    private final RawObjectSpace space;
    private final RawClassTable classes;
    private final RawConstants constants;
    private final RawUpdates updates;

    private final RawChunkObjects chunk = new RawChunkObjects();
    private final RawLongArray longArray = new RawLongArray();

    /** Chunks whose objects exist and are still empty, by the last unit that they need. */
    private final PriorityQueue<RawChunkObjects> waiting =
            new PriorityQueue<>(Comparator.comparingLong(RawChunkObjects::lastTarget));

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
        waiting.clear();
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
        chunk.begin(bytes, chunkAt, header);
        allocate(layout);
        Object[] made = chunk.copyOfObjects();
        space.addComplete(header.objectBytes() >> RawFormat.UNIT_SHIFT, made, chunk.starts());
        fillOrWait(made, header.ends());
        if (header.ends()) {
            if (longArray.isOpen()) {
                throw malformed("a record ends, and some of its objects are missing");
            }
            strings.convert();
        }
        recordIsOpen = !header.ends();
    }

    /** Makes the objects, each of which must begin where the last ended. */
    private void allocate(RawLayout layout) {
        byte[] bytes = chunk.bytes();
        int start = chunk.start();
        int end = chunk.bitmap();
        Object begun = longArray.begun();
        RawClass begunType = longArray.type();
        int p = start;
        if (begun != null && begunType != null) {
            int part = longArray.partBytes(end - start);
            chunk.continueArray(begunType, begun, longArray.doneBytes(), part);
            longArray.pass(part);
            p += part;
        }
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
                longArray.pass(end - p);
                p = end;
            } else {
                p += (int) sizeBytes;
            }
        }
        chunk.end(end);
    }

    /** Fills the chunk that has come, and those that have waited for it; or lets them wait. */
    private void fillOrWait(Object[] made, boolean recordEnds) {
        if (!recordEnds && !chunk.findLastTarget(wideReferences)) {
            throw malformed("the bitmap of a chunk has bits behind its objects");
        }
        if (recordEnds || chunk.lastTarget() < space.endUnit()) {
            fill(chunk);
        } else {
            waiting.add(chunk.waiting(made));
        }
        for (RawChunkObjects next = waiting.peek();
                next != null && (recordEnds || next.lastTarget() < space.endUnit());
                next = waiting.peek()) {
            waiting.remove();
            fill(next);
        }
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

    private void fill(RawChunkObjects filled) {
        byte[] bytes = filled.bytes();
        int start = filled.start();
        referencesOfChunk = 0;
        nextPatch = filled.constantPatches();
        patchesEnd = filled.constantPatchesEnd();
        Object continued = filled.continued();
        RawClass continuedType = filled.continuedType();
        if (continued != null && continuedType != null) {
            long from = filled.continuedFrom();
            int part = filled.continuedBytes();
            continuedType.fill(this, continued, bytes, start, from, from + part);
            putConstants(bytes, part, continuedType, continued, from);
        }
        int count = filled.count();
        for (int i = 0; i < count; i++) {
            RawClass type = filled.type(i);
            Object object = filled.object(i);
            int position = filled.position(i);
            int sizeBytes = filled.position(i + 1) - position;
            type.fill(this, object, bytes, position, 0, sizeBytes);
            if (nextPatch < patchesEnd) {
                putConstants(bytes, position + sizeBytes - start, type, object, (long) start - position);
            }
        }
        if (nextPatch < patchesEnd) {
            throw malformed("a patch lies in no object");
        }
        checkBitmap(bytes, filled.bitmap(), filled.constantPatches());
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

    /** A wrong bitmap would mislead the direct engine, and lets chunks wait too long here. */
    private void checkBitmap(byte[] bytes, int start, int end) {
        long marked = 0;
        for (int p = start; p < end; p += Long.BYTES) {
            marked += Long.bitCount((long) ImageFormat.LONG.get(bytes, p));
        }
        if (marked != referencesOfChunk && !classes.isMissingAny()) {
            throw malformed("a chunk has " + referencesOfChunk + " references, its bitmap has " + marked);
        }
    }

    /** Reads a reference slot; null if it refers to nothing. */
    @Nullable
    Object readReference(byte[] bytes, int position) {
        long unit = RawChunkObjects.unitAt(bytes, position, wideReferences);
        if (unit == 0) {
            return null;
        }
        referencesOfChunk++;
        return space.objectAt(unit);
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
