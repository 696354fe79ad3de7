package org.heapspan.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    private long longArrayDone;
    private long longArrayBytes;

    // Records.
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
        byte[] bytes = reader.buffer;
        int p = reader.position;
        if (layout == null) {
            require(p, RawFormat.LAYOUT_BYTES);
            RawLayout written = RawLayout.decode(bytes, p);
            layout = written;
            recordStart = written.heap().objectAlignmentBytes() >> RawFormat.UNIT_SHIFT;
            space.clear(recordStart);
            p += RawFormat.LAYOUT_BYTES;
        }
        require(p, RawFormat.HEADER_BYTES);
        long firstUnit = word(bytes, p + RawFormat.FIRST_UNIT_OFFSET) & 0xFFFFFFFFL;
        int unitCount = word(bytes, p + RawFormat.UNIT_COUNT_OFFSET);
        int flags = word(bytes, p + RawFormat.FLAGS_OFFSET);
        int classBytes = word(bytes, p + RawFormat.CLASS_BYTES_OFFSET);
        int patchCount = word(bytes, p + RawFormat.PATCH_COUNT_OFFSET);
        int constantCount = word(bytes, p + RawFormat.CONSTANT_COUNT_OFFSET);
        checkHeader(firstUnit, flags);
        long objectBytes = (unitCount & 0xFFFFFFFFL) << RawFormat.UNIT_SHIFT;
        long bitmapBytes = RawFormat.bitmapBytes(objectBytes);
        long patchBytes = (patchCount & 0xFFFFFFFFL) * RawFormat.PATCH_BYTES;
        long total = RawFormat.HEADER_BYTES + (classBytes & 0xFFFFFFFFL) + objectBytes + bitmapBytes + patchBytes;
        require(p, total);
        int classesAt = p + RawFormat.HEADER_BYTES;
        int objectsAt = classesAt + classBytes;
        int bitmapAt = objectsAt + (int) objectBytes;
        int patchesAt = bitmapAt + (int) bitmapBytes;
        classes.read(reader, layout(), bytes, classesAt, objectsAt);
        reader.position = p + (int) total;
        space.forgetBefore(recordStart);
        allocate(bytes, objectsAt, bitmapAt);
        readConstants(constantCount);
        fill(bytes, objectsAt, bitmapAt, patchesAt, patchCount);
        resolveForward(firstUnit);
        if (!strings.settle(longArray == null) && forward.isEmpty()) {
            throw malformed("a string has no characters, or such that do not fit together");
        }
        if ((flags & RawFormat.FLAG_ENDS) != 0 && (!forward.isEmpty() || longArray != null)) {
            throw malformed("a record ends, and some of its objects are missing");
        }
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

    private void checkHeader(long firstUnit, int flags) {
        if ((flags & ~RawFormat.KNOWN_FLAGS) != 0) {
            throw malformed("a chunk has flags 0x" + Integer.toHexString(flags));
        }
        if (firstUnit != space.endUnit()) {
            throw malformed("a chunk begins at unit " + firstUnit + ", expected " + space.endUnit());
        }
        boolean begins = (flags & RawFormat.FLAG_BEGINS) != 0;
        if (begins && !forward.isEmpty()) {
            throw malformed("a record begins, and objects of the one before are missing");
        }
        if (((flags & RawFormat.FLAG_CONTINUES) != 0) != (longArray != null)) {
            throw malformed("a chunk does not go on where the one before ended");
        }
        if (begins) {
            objectsOfRecord = 0;
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
            long sizeBytes = type.sizeBytes(this, bytes, p);
            if (sizeBytes > end - p) {
                if (p > start || !(type instanceof RawClass.Array)) {
                    throw malformed("an object of " + type.type.getName() + " has " + sizeBytes
                            + " bytes, its chunk has " + (end - p) + " left");
                }
                reader.requireAhead(sizeBytes - (end - p));
                longArrayBytes = sizeBytes;
                longArrayClass = type;
                longArrayDone = 0;
            }
            Object object = type.allocate(this, bytes, p);
            noteObject(type, object, p, start);
            if (sizeBytes > end - p) {
                longArray = object;
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
            patch = applyPatches(bytes, patchesAt, patch, patchCount, part, goesOnClass, goesOn, longArrayDone);
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
            patch = applyPatches(bytes, patchesAt, patch, patchCount, last, type, object, (long) start - position);
            if (object == longArray) {
                passLongArray(sizeBytes);
            }
        }
        if (patch < patchCount) {
            throw malformed("a patch lies in no object");
        }
        checkBitmap(bytes, end, patchesAt);
    }

    private void passLongArray(int partBytes) {
        longArrayDone += partBytes;
        if (longArrayDone == longArrayBytes) {
            longArray = null;
            longArrayClass = null;
        }
    }

    /** Applies the patches before a place in the chunk, all of which belong to an object; returns the first that does not. */
    private int applyPatches(
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
            int at = patchesAt + patch * RawFormat.PATCH_BYTES;
            long place = (word(bytes, at) & 0xFFFFFFFFL) << RawFormat.BITMAP_SLOT_SHIFT;
            if (place >= placeBytes) {
                return patch;
            }
            long offset = place + offsetOfChunk;
            int target = word(bytes, at + Integer.BYTES);
            int number = target >>> 1;
            if ((target & RawFormat.PATCH_SIDE) == 0) {
                type.put(this, object, offset, constant(number));
            } else if (!type.drops(offset)) {
                sides.add(number, type, object, offset, 0);
            }
        }
        return patch;
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

    /** Reads a record: what its root is, and its side objects. */
    @Nullable
    Object readRecord() {
        long rootNumber = reader.readNumber();
        long units = reader.readNumber();
        if (units < 0 || units > space.endUnit() - recordStart) {
            throw malformed(
                    "a record has " + units + " units, of which " + (space.endUnit() - recordStart) + " have come");
        }
        int kind = (int) rootNumber & (1 << RawFormat.ROOT_SHIFT) - 1;
        long number = rootNumber >>> RawFormat.ROOT_SHIFT;
        rootSide = kind == RawFormat.ROOT_SIDE ? (int) Math.min(number, Integer.MAX_VALUE) : -1;
        readSides(units);
        Object root = switch (kind) {
            case RawFormat.ROOT_NULL -> null;
            case RawFormat.ROOT_OBJECT -> objectAt(recordStart + Math.min(number, units));
            case RawFormat.ROOT_CONSTANT -> constant(number);
            default -> rootSideObject;
        };
        rootSideObject = null;
        if (root instanceof MissingClassCodec.Placeholder missing) {
            throw missing.toException();
        }
        recordStart += units;
        firstSide += sideCount;
        if (!updates.isEmpty()) {
            handOverUpdates();
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

    private void handOverUpdates() {
        int count = 0;
        while (count < updates.size() && updates.get(count).unit() < recordStart) {
            Update update = updates.get(count);
            reader.updateLater(update.codec(), update.object());
            count++;
        }
        updates.subList(0, count).clear();
    }
}
