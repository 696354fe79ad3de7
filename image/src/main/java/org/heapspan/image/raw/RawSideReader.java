package org.heapspan.image.raw;

import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.type.MissingObject;
import org.jspecify.annotations.Nullable;

/**
 * Reads the compact parts of the records of a raw image. They contain the side objects, which are stored into the slots of copies. Works
 * for copies of both engines. Belongs to one {@link RawImageReader}; not thread-safe.
 */
final class RawSideReader {
    private final ImageReader reader;
    private final RawObjectSpace space;
    private final RawObjectReader objects;
    private final RawConstants constants;

    /** By the numbers that side objects have in the image. */
    private final RawPendingSlots slots = new RawPendingSlots();

    // The record that is being read, or was read last.
    private boolean isOpen;
    private long start;
    private long end;
    private int rootNumber;
    private @Nullable Object root;

    /** The number in the image of the record's first side object. */
    private int firstNumber;

    /** How many side objects of the record have come. */
    private int count;

    RawSideReader(ImageReader reader, RawObjectSpace space, RawObjectReader objects, RawConstants constants) {
        this.reader = reader;
        this.space = space;
        this.objects = objects;
        this.constants = constants;
    }

    /** Forgets everything. */
    void clear() {
        slots.clear();
        isOpen = false;
        root = null;
        firstNumber = 0;
        count = 0;
    }

    /**
     * Lets slots of a chunk's objects wait for side objects.
     *
     * @param carved the classes of the objects if the direct engine has made them
     */
    void readPatches(byte[] bytes, int chunkAt, RawChunkHeader header, RawCarving.@Nullable Classes carved) {
        int p = chunkAt + header.sidePatches();
        for (int i = 0; i < header.sidePatchCount(); i++) {
            long unit = (int) ImageFormat.INT.get(bytes, p) & 0xFFFFFFFFL;
            Object holder = space.objectAt(unit);
            RawClass type = carved == null ? objects.classAt(unit) : carved.of(holder);
            if (type == null) {
                throw reader.malformed("an object of " + holder.getClass().getName() + " refers to a side object");
            }
            long offset = (long) ImageFormat.LONG.get(bytes, p + 2 * Integer.BYTES);
            if (!type.drops(offset)) {
                long number = (int) ImageFormat.INT.get(bytes, p + Integer.BYTES) & 0xFFFFFFFFL;
                slots.add(number, type, holder, offset);
            }
            p += RawFormat.SIDE_PATCH_BYTES;
        }
    }

    /**
     * Reads the compact part of a record.
     *
     * @param copiedRoot the record's root, if it is a copy
     * @param firstUnit where the copies of the record begin
     * @return the record's root
     */
    @Nullable
    Object read(@Nullable Object copiedRoot, long firstUnit) {
        if (firstUnit > space.endUnit()) {
            throw reader.malformed("a record begins at unit " + firstUnit);
        }
        start = firstUnit;
        isOpen = true;
        long kindAndNumber = reader.readNumber();
        long units = reader.readNumber();
        if (units < 0 || units > space.endUnit() - start) {
            throw reader.malformed(
                    "a record has " + units + " units, of which " + (space.endUnit() - start) + " have come");
        }
        end = start + units;
        int kind = (int) kindAndNumber & (1 << RawFormat.ROOT_SHIFT) - 1;
        long number = kindAndNumber >>> RawFormat.ROOT_SHIFT;
        rootNumber = kind == RawFormat.ROOT_SIDE ? (int) Math.min(number, Integer.MAX_VALUE) : -1;
        readObjects(units);
        Object found = switch (kind) {
            case RawFormat.ROOT_NULL -> null;
            case RawFormat.ROOT_OBJECT -> copiedRoot;
            case RawFormat.ROOT_CONSTANT -> constants.get(number);
            default -> root;
        };
        root = null;
        isOpen = false;
        firstNumber += count;
        return found;
    }

    private void readObjects(long units) {
        reader.setFirstIndex((int) Math.min(units, Integer.MAX_VALUE));
        count = 0;
        int section = reader.beginSection();
        for (int number = reader.readCount(); number != RawFormat.SIDES_END; number = reader.readCount()) {
            boolean drops = isDropped(number - 1);
            reader.beginDropping(drops);
            Object object = reader.readReference(null);
            reader.endDropping(drops);
            arrived(number - 1, object);
        }
        reader.endSection(section);
    }

    private boolean isDropped(int number) {
        return number != rootNumber && !slots.contains((long) firstNumber + number);
    }

    /** Fills the slots that waited for a side object, by its number within the record. */
    void arrived(int number, @Nullable Object object) {
        count = Math.max(count, number + 1);
        if (number == rootNumber) {
            root = object;
        }
        RawPendingSlots.Group waiting = slots.take((long) firstNumber + number);
        if (waiting != null && object != null) {
            for (int i = 0; i < waiting.count(); i++) {
                waiting.put(objects, i, object);
            }
        }
    }

    /** The copy to which the compact encoding refers by an index below the record's units. */
    Object copy(int index) {
        Object object = space.objectAt(start + index);
        if (object instanceof MissingObject missing && !reader.dropping()) {
            throw missing.toException();
        }
        return object;
    }

    /** Where the copies of the record end that was read last. */
    long endUnit() {
        return end;
    }

    /** From where on copies are asked for while a record is read of which the copies have come; else from the given unit. */
    long firstUnitInUse(long otherwise) {
        return isOpen ? start : otherwise;
    }
}
