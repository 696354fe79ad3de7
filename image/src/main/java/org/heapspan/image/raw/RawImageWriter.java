package org.heapspan.image.raw;

import java.util.Arrays;
import java.util.IdentityHashMap;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.ObjectLinks;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.codec.OwnObjectCodec;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.Link;
import org.heapspan.image.memory.IdentityTable;
import org.heapspan.image.memory.Restart;
import org.jspecify.annotations.Nullable;

/**
 * Writes records of a raw image ({@link RawFormat}). Objects get their place in the object space when they are first referred to,
 * so that a slot can be written at once and the traversal, in breadth, needs neither recursion nor deferral. What cannot be copied
 * is a constant, or a side object that {@link ImageWriter} writes in the compact encoding once all copies of the record have
 * their places.
 *
 * <p>A graph that other threads change meanwhile gives a mix of old and new values: sizes depend on nothing that can change.
 * Belongs to one {@link ImageWriter}; not thread-safe.
 */
public final class RawImageWriter extends RawQuickWriter {
    private static final int KEPT_PLACES = 1 << 16;
    private static final int KEPT_FRAMES_BYTES = 64 << 20;

    private final int alignmentBytes;
    /** Objects that end here or before belong to the current chunk. */
    private long chunkLimit;

    /** Where the objects of the image end at the latest. */
    private long spaceLimit = RawFormat.SPACE_LIMIT_BYTES;

    /** Where the current chunk ends if that is within a record, else -1. */
    private long cut;

    private boolean layoutWritten;
    /** What will be true of the next chunk by how the one before ended: {@code RawFormat.FLAG_*}. */
    private int flags;

    /** Places of the record's tracked objects in units, by their number in the identity table. */
    private int[] places = new int[64];

    /** Objects with smaller numbers in the identity table are copies. */
    private int copyCount;

    private int constantsWritten;

    // Side objects of the record, and how many there were in records before.
    private final RawSides sides;
    private int sideBase;

    /** Set while compact parts are written that may refer to objects of the current chunk. */
    private boolean inExtension;

    /** Set when the chunk that ends the record has left before its compact part was complete. */
    private boolean endHasLeft;

    /** Where the object begins that is being written. */
    private long holderPlace;

    // The record, and what is needed to take it back.
    private boolean inRecord;
    private long recordStart;
    private long recordChunkStart;
    private int recordForms;
    private int recordConstants;
    private int recordFlags;
    private boolean recordLayoutWritten;
    private int insertedBytes;
    private boolean frameLeft;
    private @Nullable RawChunk chunkBeforeRecord;

    /** The raw part of a writer; null if this JVM cannot write raw images. */
    public static @Nullable RawImageWriter of(ImageWriter writer) {
        RawLayout layout = RawLayout.OWN;
        return layout == null ? null : new RawImageWriter(writer, layout);
    }

    RawImageWriter(ImageWriter writer, RawLayout layout) {
        super(writer, layout);
        alignmentBytes = layout.heap().objectAlignmentBytes();
        sides = new RawSides(writer, this);
    }

    /** Begins an image. */
    @Override
    public void begin() {
        chunk.clearAll(end - chunkStart);
        chunk.beginImage();
        // Place 0 is nobody's, because in a slot it means null.
        end = alignmentBytes;
        spaceLimit = Math.min(RawFormat.SPACE_LIMIT_BYTES, writer.mostBytes());
        startChunk(end);
        cut = -1;
        layoutWritten = false;
        flags = RawFormat.FLAG_BEGINS;
        cutForms(0);
        cutConstants(0);
        constantsWritten = 0;
        sideBase = 0;
        endRecord();
    }

    /** Lets go of everything that belongs to the image. */
    @Override
    public void release() {
        begin();
        chunk.release();
        releaseQuick();
    }

    private void startChunk(long start) {
        chunkStart = start;
        chunkLimit = start + RawFormat.CHUNK_LIMIT_BYTES;
    }

    // ---------------------------------------------------------------- records

    /** Writes a record that shares nothing but constants with the records before and after it. */
    @Override
    public void writeRecord(@Nullable Object root) {
        if (end > spaceLimit) {
            throw writer.overLimit();
        }
        if (root != null && expectsQuick() && writeQuickRecord(root)) {
            return;
        }
        long rootNumber;
        try {
            rootNumber = copyGraph(root);
        } catch (Restart outgrown) {
            // It begins again in a chunk of its own.
            takeBackRecord();
            writer.endFrame();
            rootNumber = copyGraph(root);
        }
        copyCount = writer.table().count();
        writeConstants();
        int kind = (int) rootNumber & LOCATED_MASK;
        chunk.addRoot(kind == RawFormat.ROOT_OBJECT ? (int) (recordStart >>> RawFormat.UNIT_SHIFT) : 0);
        if (kind >= RawFormat.ROOT_CONSTANT || sides.count() > 0) {
            writeExtension(rootNumber);
        }
        writer.checkComplete();
        endRecord();
        if (end - chunkStart >= RawFormat.CHUNK_TARGET_BYTES || writer.bodyBytes() >= RawFormat.CHUNK_TARGET_BYTES) {
            writer.endFrame();
        }
    }

    /**
     * Writes records like the latest, as long as they come in a row.
     *
     * @return the first record that has not been written, or {@code last}
     */
    @Override
    public int writeRow(@Nullable Object[] records, int first, int last) {
        if (!suitsRow() || end > spaceLimit) {
            return first;
        }
        noteState();
        int position = writer.position;
        int types = writer.typeCount();
        int next;
        try {
            next = writeRowQuickly(records, first, last);
            if (constantsWritten < constants().size()) {
                writeConstants();
            }
        } catch (Restart unsuitable) {
            takeBackRecord();
            return first;
        } catch (RuntimeException | Error e) {
            takeBackRecord();
            writer.cutTo(position, types);
            throw e;
        }
        inRecord = false;
        if (end - chunkStart >= RawFormat.CHUNK_TARGET_BYTES) {
            writer.endFrame();
        }
        return next;
    }

    private boolean writeQuickRecord(Object root) {
        noteState();
        boolean written = false;
        try {
            written = writeQuickly(root);
        } catch (Restart unsuitable) {
            learn(false);
        }
        if (!written) {
            takeBackRecord();
            return false;
        }
        learn(true);
        if (constantsWritten < constants().size()) {
            writeConstants();
        }
        chunk.addRoot((int) (recordStart >>> RawFormat.UNIT_SHIFT));
        inRecord = false;
        if (end - chunkStart >= RawFormat.CHUNK_TARGET_BYTES) {
            writer.endFrame();
        }
        return true;
    }

    private void writeExtension(long rootNumber) {
        chunk.extend((int) (recordStart >>> RawFormat.UNIT_SHIFT));
        inExtension = true;
        writer.writeNumber(rootNumber);
        writer.writeNumber(end - recordStart >>> RawFormat.UNIT_SHIFT);
        sides.write();
        sideBase += sides.count();
        inExtension = false;
    }

    private void beginRecord() {
        writer.mark();
        writer.clearScope();
        frameLeft = false;
        insertedBytes = 0;
        noteState();
    }

    private void noteState() {
        inRecord = true;
        endHasLeft = false;
        recordStart = end;
        recordChunkStart = chunkStart;
        recordFlags = flags;
        recordLayoutWritten = layoutWritten;
        recordForms = formCount();
        recordConstants = constants().size();
        chunk.beginRecord((int) (end - chunkStart));
    }

    private void endRecord() {
        inRecord = false;
        inExtension = false;
        frameLeft = false;
        chunkBeforeRecord = null;
        linksOfRecord = null;
        // A writer may be idle for long, and a large graph may have given few bytes.
        releaseScratch();
        queue.clear();
        sides.clear();
        if (places.length > KEPT_PLACES) {
            places = new int[64];
        }
    }

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

    /** Makes the image what it was before the record, whatever of it has left; the writer takes back its frames. */
    @Override
    public void takeBackRecord() {
        if (!inRecord) {
            return;
        }
        if (chunkBeforeRecord == null) {
            chunk.cutRecord(end - chunkStart);
        } else {
            chunk = chunkBeforeRecord;
        }
        end = recordStart;
        startChunk(recordChunkStart);
        cut = -1;
        flags = recordFlags;
        layoutWritten = recordLayoutWritten;
        cutForms(recordForms);
        cutConstants(recordConstants);
        constantsWritten = Math.min(constantsWritten, recordConstants);
        endRecord();
    }

    /** How many bytes were put in front of the frame with the beginning of the record, if it has left. */
    @Override
    public int insertedBytes() {
        return insertedBytes;
    }

    // ---------------------------------------------------------------- copies

    /** Gives every object its place and writes those that are copied; returns the number of the root. */
    private long copyGraph(@Nullable Object root) {
        beginRecord();
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

    private void endChunkWithinRecord(long place) {
        writeConstants();
        cut = place;
        writer.endFrame();
        cut = -1;
    }

    /** Ends the chunk within an array, of which so many more bytes lie in it. */
    void continueInNextChunk(int partBytes) {
        endChunkWithinRecord(chunkStart + partBytes);
        chunkLimit = chunkStart;
        flags |= RawFormat.FLAG_CONTINUES;
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

    private static final int LOCATED_MASK = (1 << RawFormat.ROOT_SHIFT) - 1;

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
            return (long) constantNumber(constant) << RawFormat.ROOT_SHIFT | RawFormat.ROOT_CONSTANT;
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

    // ---------------------------------------------------------------- constants

    /** Writes what is new among the constants, in the compact encoding, and puts it into the chunk. */
    private void writeConstants() {
        for (; constantsWritten < constants().size(); constantsWritten++) {
            Object constant = constants().get(constantsWritten);
            int start = writer.position;
            Codec codec = OwnObjectCodec.handles(constant.getClass())
                    ? BuiltInTypes.known(BuiltInTypes.OWN_OBJECT_TAG)
                    : writer.registry.codecOf(constant.getClass());
            writer.writeTag(codec);
            codec.write(writer, constant, null);
            chunk.addConstant(writer.buffer, start, writer.position - start);
            writer.position = start;
        }
    }

    // ---------------------------------------------------------------- frames, side objects

    /** Puts the chunk in front of the frame that ends. */
    @Override
    public void placeChunk() {
        long last = cut >= 0 ? cut : end;
        int objectBytes = (int) (last - chunkStart);
        if (objectBytes == 0 && layoutWritten && writer.bodyBytes() == 0 && !chunk.hasRoots()) {
            return;
        }
        int layoutBytes = layoutWritten ? 0 : RawFormat.LAYOUT_BYTES;
        RawChunk before = inRecord && !frameLeft ? chunk.beforeRecord() : null;
        chunk.complete();
        int sizeBytes = layoutBytes + chunk.sizeBytes(objectBytes);
        if (before != null) {
            frameLeft = true;
            insertedBytes = sizeBytes;
            chunkBeforeRecord = before;
        }
        int chunkFlags =
                flags | (cut < 0 ? RawFormat.FLAG_ENDS : 0) | (cut < 0 && !inExtension ? RawFormat.FLAG_WHOLE : 0);
        endHasLeft |= cut < 0 && inExtension;
        int compactBytes = writer.bodyBytes();
        int start = chunk.close(
                        writer.headBytes() + layoutBytes,
                        (int) (chunkStart >>> RawFormat.UNIT_SHIFT),
                        objectBytes,
                        chunkFlags,
                        compactBytes)
                - layoutBytes;
        if (!layoutWritten) {
            layout.encode(chunk.objects, start);
            layoutWritten = true;
        }
        int endOfChunk = start + sizeBytes;
        System.arraycopy(writer.buffer, writer.bodyStart(), chunk.objects, endOfChunk, compactBytes);
        writer.continueIn(chunk.objects, start, endOfChunk + compactBytes);
        chunk.clearAll(objectBytes);
        flags = cut < 0 ? RawFormat.FLAG_BEGINS : 0;
        startChunk(last);
    }

    /** Whether the frame that ends may stay where it is: nobody will want to take back a part of it. */
    @Override
    public boolean keepsFrames() {
        return !inRecord && chunk.base < KEPT_FRAMES_BYTES;
    }

    @Override
    public void frameEnded(int keptEnd) {
        chunk.beginFrame(keptEnd);
    }

    /** Whether there is anything that has not been put into a frame yet. */
    @Override
    public boolean hasRoots() {
        return chunk.hasRoots();
    }

    /** Bytes of what has not been put into a frame yet. */
    @Override
    public int sizeBytes() {
        return chunk.sizeBytes((int) (end - chunkStart)) + (layoutWritten ? 0 : RawFormat.LAYOUT_BYTES);
    }

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
