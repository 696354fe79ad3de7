package org.heapspan.image.raw;

import java.util.Arrays;
import java.util.IdentityHashMap;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.ObjectLinks;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.Link;
import org.heapspan.image.memory.IdentityTable;
import org.heapspan.image.memory.Restart;
import org.jspecify.annotations.Nullable;

/**
 * Writes any record of a raw image, of any size. It knows objects by their numbers in the identity table, which no collection changes; {@link
 * RawAddressedWriter} knows them by their addresses. An object gets its place in the object space when the first reference to it is found, so
 * the slot can be written at once. The traversal is breadth first, and needs no recursion and no deferral. An object that cannot be copied
 * gets a number as a constant or as one of the {@link RawSides}. Not thread-safe.
 */
abstract class RawNumberedWriter extends RawAddressedWriter {
    private static final int KEPT_PLACES = 1 << 16;

    /** Objects that end here or before belong to the current chunk. */
    private long chunkLimit;

    /** Where the objects of the image end at the latest. */
    long spaceLimit = RawFormat.SPACE_LIMIT_BYTES;

    /** Where the current record begins in the object space. */
    long recordStart;

    /** Places of the record's tracked objects in units, by their number in the identity table. */
    private int[] places = new int[64];

    /** Objects with smaller numbers in the identity table are copies. */
    int copyCount;

    // Side objects of the record, and how many there were in records before.
    final RawSides sides;
    int sideBase;

    /** Set when the chunk that ends the record has left before its compact part was complete. */
    boolean endHasLeft;

    /** Where the object begins that is being written. */
    private long holderPlace;

    RawNumberedWriter(ImageWriter writer, RawLayout layout) {
        super(writer, layout);
        sides = new RawSides(writer, this);
    }

    /** Ends the chunk at a place within the record, and begins the next one there. */
    abstract void endChunkWithinRecord(long place);

    /** Ends the chunk within an array, of which so many more bytes lie in it. */
    abstract void continueInNextChunk(int partBytes);

    final void startChunk(long start) {
        chunkStart = start;
        chunkLimit = start + RawFormat.CHUNK_LIMIT_BYTES;
    }

    /** In the next chunk nothing fits behind what lies in it already. */
    final void fillChunk() {
        chunkLimit = chunkStart;
    }

    /** Forgets the record's objects. */
    final void endNumbers() {
        linksOfRecord = null;
        queue.clear();
        sides.clear();
        if (places.length > KEPT_PLACES) {
            places = new int[64];
        }
    }

    // ---------------------------------------------------------------- objects

    /** Gives every object its place and writes those that are copied; returns the number of the root. */
    final long copyGraph(@Nullable Object root) {
        long rootNumber = root == null ? RawFormat.ROOT_NULL : rootNumber(locate(root));
        while (!queue.isEmpty()) {
            Object object = queue.object();
            RawForm form = queue.form();
            long place = queue.place();
            long sizeBytes = form.sizeBytes(object);
            if (place + sizeBytes > chunkLimit) {
                leaveChunk(place);
                if (place + sizeBytes > chunkLimit) {
                    queue.remove();
                    chunkLimit = place;
                    holderPlace = place;
                    ((RawArrayForm) form).writeInParts(this, object);
                    leaveChunk(place + sizeBytes);
                    continue;
                }
            }
            queue.remove();
            holderPlace = place;
            write(form, object, place, sizeBytes);
        }
        return rootNumber;
    }

    private void write(RawForm form, Object object, long place, long sizeBytes) {
        int position = chunk.base + (int) (place - chunkStart);
        chunk.reserve(position + (int) sizeBytes);
        if (!form.fills) {
            RawBytes.clear(chunk.objects, position, (int) sizeBytes);
        }
        form.write(this, object, position);
    }

    /** Ends the chunk before an object that it has no room for. */
    private void leaveChunk(long place) {
        if (place == chunkStart) {
            return;
        }
        if (recordStart > chunkStart) {
            throw Restart.INSTANCE;
        }
        endChunkWithinRecord(place);
    }

    /**
     * Makes room in the current chunk for a part of an array that begins with it.
     *
     * @return where it begins
     */
    int reservePart(int sizeBytes) {
        chunk.reserve(chunk.base + sizeBytes);
        RawBytes.clear(chunk.objects, chunk.base, sizeBytes);
        return chunk.base;
    }

    @Override
    void writeNumbered(int position, Object target) {
        long located = locate(target);
        switch ((int) located & LOCATED_MASK) {
            case RawFormat.ROOT_OBJECT -> putReference(position, located >>> RawFormat.ROOT_SHIFT);
            case RawFormat.ROOT_CONSTANT -> chunk.patchConstant(position, (int) (located >>> RawFormat.ROOT_SHIFT));
            default -> patchSide(position, sideBase + (int) (located >>> RawFormat.ROOT_SHIFT));
        }
    }

    private void patchSide(int position, int number) {
        int holderUnit = (int) (holderPlace >>> RawFormat.UNIT_SHIFT);
        chunk.patchSide(holderUnit, chunkStart + position - chunk.base - holderPlace, number);
        export(holderUnit);
    }

    /** Makes an object one that readers of the compact part can find, unless the chunk that ends the record has left. */
    private void export(int unit) {
        if (!endHasLeft) {
            chunk.export(unit);
        }
    }

    @Override
    void beginPart(int position) {
        holderPlace = chunkStart + position - chunk.base;
    }

    static final int LOCATED_MASK = (1 << RawFormat.ROOT_SHIFT) - 1;

    /** Where the object is or will be: its place in units or its number, above the two bits that say which. */
    private long locate(Object object) {
        RawForm form = formOf(object);
        if (form == RawForm.SIDE) {
            return sideNumber(object);
        }
        Object constant = form == RawForm.CONSTANT ? object : form.constantFor(object);
        if (constant != null) {
            if (form.kind == RawForm.Kind.SELECTED_OBJECT) {
                checkNamed(form);
            }
            return (long) constants.numberOf(constant) << RawFormat.ROOT_SHIFT | RawFormat.ROOT_CONSTANT;
        }
        if (!form.tracked) {
            return unitNumber(place(form, object));
        }
        IdentityTable table = writer.table();
        int known = table.track(object);
        if (known >= 0) {
            return unitNumber(places[known] & 0xFFFFFFFFL);
        }
        long unit = form instanceof RawMapForm mapForm ? placeMap(mapForm, object) : place(form, object);
        if (unit < 0) {
            table.takeBackLatest();
            return sideNumber(object);
        }
        int number = table.count() - 1;
        if (number >= places.length) {
            places = Arrays.copyOf(places, Math.max(number + 1, (int) Math.min(places.length * 2L, PLACES_LIMIT)));
        }
        places[number] = (int) unit;
        return unitNumber(unit);
    }

    private long sideNumber(Object object) {
        return (long) sides.numberOf(object) << RawFormat.ROOT_SHIFT | RawFormat.ROOT_SIDE;
    }

    private static final int PLACES_LIMIT = Integer.MAX_VALUE - 16;

    private static long unitNumber(long unit) {
        return unit << RawFormat.ROOT_SHIFT | RawFormat.ROOT_OBJECT;
    }

    private long rootNumber(long located) {
        // The root is the first object of its record.
        return (located & LOCATED_MASK) == RawFormat.ROOT_OBJECT ? RawFormat.ROOT_OBJECT : located;
    }

    /** Gives the next place to an object and writes it, if it can be written ahead of those that wait. */
    private long place(RawForm form, Object object) {
        noteClass(form);
        long sizeBytes = form.sizeBytes(object);
        long place = take(sizeBytes);
        if (end <= chunkLimit && form.isLeaf(object)) {
            write(form, object, place, sizeBytes);
        } else {
            queue.add(object, form, place);
        }
        return place >>> RawFormat.UNIT_SHIFT;
    }

    /** Gives the next place to a map or set with its insides; -1 if it is a side object. */
    private long placeMap(RawMapForm form, Object map) {
        // One that has become a side object stays one, even if it holds other keys by now.
        RawMapCopy copy = sides.contains(map) ? null : RawMapCopy.of(map, this);
        if (copy == null) {
            return -1;
        }
        form.noteClasses(this, copy);
        long place = take(form.sizeBytes(copy));
        form.queue(queue, copy, place);
        return place >>> RawFormat.UNIT_SHIFT;
    }

    private long take(long sizeBytes) {
        long place = end;
        end = place + sizeBytes;
        if (end > spaceLimit) {
            if (end > writer.mostBytes()) {
                throw writer.overLimit();
            }
            throw new HeapspanException(
                    Category.LIMIT,
                    "the objects take more than " + RawFormat.SPACE_LIMIT_BYTES
                            + " bytes, which a raw image cannot hold; use the compact encoding");
        }
        return place;
    }

    // ---------------------------------------------------------------- links

    /** The record's links, by the objects in whose places they are. */
    private @Nullable IdentityHashMap<Object, Link> linksOfRecord;

    @Override
    Object linkInPlaceOf(Object object, ObjectLinks links) {
        IdentityHashMap<Object, Link> known = linksOfRecord;
        Link earlier = known == null ? null : known.get(object);
        if (earlier != null) {
            return earlier;
        }
        Object travelling = Link.inPlaceOf(object, links);
        if (travelling instanceof Link link) {
            if (known == null) {
                known = new IdentityHashMap<>();
                linksOfRecord = known;
            }
            known.put(object, link);
        }
        return travelling;
    }

    /** The link that is in place of an object in some fields of the record, or null. */
    @Nullable
    Link linkOf(Object object) {
        return linksOfRecord == null ? null : linksOfRecord.get(object);
    }

    // ---------------------------------------------------------------- references out of the compact part

    int find(Object object) {
        return writer.table().find(object);
    }

    /** Writes a reference to an object of the record that has a number in the identity table. */
    @Override
    public void writeBackReference(int number) {
        int index = indexOf(number);
        if (number < copyCount) {
            sides.writeReferenceToCopy(number, index);
        } else {
            writer.writeTagByte(ImageFormat.TAG_BACK_REFERENCE);
            writer.writeNumber(index);
        }
    }

    /** The index by which the compact encoding refers to an object: a copy's place in its record, then side objects. */
    @Override
    public int indexOf(int number) {
        long firstUnit = recordStart >>> RawFormat.UNIT_SHIFT;
        if (number < copyCount) {
            export(places[number]);
        }
        long index = number < copyCount
                ? (places[number] & 0xFFFFFFFFL) - firstUnit
                : (end >>> RawFormat.UNIT_SHIFT) - firstUnit + number - copyCount;
        if (index > Integer.MAX_VALUE) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "a record of more than " + ((long) Integer.MAX_VALUE << RawFormat.UNIT_SHIFT)
                            + " bytes has objects of which the raw encoding keeps no copies; use the compact encoding");
        }
        return (int) index;
    }
}
