package org.heapspan.image;

import static org.heapspan.image.ImageFormat.DEPTH_LIMIT;
import static org.heapspan.image.ImageFormat.FRAME_HEADER_BYTES;
import static org.heapspan.image.ImageFormat.IMAGE_HEADER_BYTES;
import static org.heapspan.image.ImageFormat.NUMBER_LIMIT_BYTES;
import static org.heapspan.image.ImageFormat.STRING_BACK_REFERENCE;
import static org.heapspan.image.ImageFormat.STRING_NULL;
import static org.heapspan.image.ImageFormat.TAG_BACK_REFERENCE;
import static org.heapspan.image.ImageFormat.TAG_DEFERRED;
import static org.heapspan.image.ImageFormat.TAG_FIRST_DESCRIBED_TYPE;
import static org.heapspan.image.ImageFormat.TAG_NULL;

import java.io.IOException;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.TypeRegistry;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Writes object graphs as an image in the compact encoding ({@link ImageFormat}).
 *
 * <p>Codecs write through {@link #reserve units}: bytes asked for at once are never torn apart by a frame boundary, and the
 * reader asks for the same units or parts of them. Nesting deeper than {@link ImageFormat#DEPTH_LIMIT} is cut by deferring
 * bodies to the end of the section, so that any graph is written with a bounded stack.
 *
 * <p>Identity is kept by one of two tables. The fast one serves records: it is keyed by the bits of the reference slots from
 * which objects are read, which holds while no collection pause comes between the first and the last look; the count of pauses
 * is compared once for each record, and the rare record in which it changed is written again with the {@link IdentityTable}.
 *
 * <p>A graph that other threads change while it is written gives a mix of old and new values, never more than that. Writers are
 * not thread-safe; {@link WriterPool} hands them out.
 */
final class ImageWriter {
    private static final int INITIAL_BUFFER_BYTES = 4 << 10;
    /** Where the body begins in the buffer; room for headers and types before it, so that a frame leaves in one piece. */
    private static final int HEAD_ROOM_BYTES = 1 << 10;

    private static final int COLLECT_FRAMES_FROM_BYTES = 64 << 20;
    private static final int KEPT_BUFFER_BYTES = 1 << 20;
    private static final int FAST_TABLE_SHIFT = 10;
    private static final int KEPT_FAST_ENTRIES = 1 << 14;
    /** Larger records are likely to be interrupted by a collection and are left to the identity table. */
    private static final int FAST_OBJECTS_LIMIT = 1 << 17;

    private static final int MANY_OBJECTS = 1 << 30;

    final CodecRegistry registry;

    byte[] buffer = new byte[INITIAL_BUFFER_BYTES];
    int position;

    // Types of the image.
    private int[] typeNumbers = new int[64];
    private int typeBase = 1;
    private Codec[] types = new Codec[16];
    private int typeCount;
    private int frameFirstType;

    // Identity.
    private long[] fastTable = new long[Access.ADDRESS_BITS ? 1 << FAST_TABLE_SHIFT : 2];
    private int fastShift = 32 - FAST_TABLE_SHIFT;
    private boolean fast;
    private int fastBase = 1;
    private int fastNext = 1;
    private Slot scratch = new Slot();
    private int scratchPauses;
    private @Nullable IdentityTable identity;

    /** Holds a reference whose bits are wanted. */
    private static final class Slot {
        @Nullable
        Object reference;
    }

    /** Not final, as with {@link CodecGenerator}'s offsets of slots: the JIT must not know that a reference is there. */
    private static long slotOffset = Access.offsetOf(Slot.class, "reference", Object.class);

    // Sections.
    private int depth;
    private Codec[] pendingCodecs = new Codec[16];
    private Object[] pendingObjects = new Object[16];
    private int pendingCount;
    private boolean deferred;

    // Frames.
    private final CRC32C crc = new CRC32C();
    private boolean checksum;
    private int flags;
    private @Nullable FrameSink sink;
    private boolean headerWritten;
    private @Nullable List<byte[]> collected;
    private @Nullable GraphOutput hookOutput;

    private final @Nullable TypeRegistry typeRegistry;
    /** Numbers of types in the registry plus one, by serial of their codecs. */
    private int[] registryNumbers = new int[16];

    private byte[] registryTypes = new byte[64];

    ImageWriter(CodecRegistry registry, @Nullable TypeRegistry typeRegistry) {
        this.registry = registry;
        this.typeRegistry = typeRegistry;
    }

    // ---------------------------------------------------------------- images and records

    /**
     * Begins an image.
     *
     * @param newFlags {@code ImageFormat.FLAG_*}
     * @param newSink where frames go as they fill up; {@code null} to collect them
     */
    void begin(int newFlags, @Nullable FrameSink newSink) {
        flags = newFlags | (typeRegistry == null ? 0 : ImageFormat.FLAG_REGISTRY);
        checksum = (newFlags & ImageFormat.FLAG_CHECKSUM) != 0;
        sink = newSink;
        headerWritten = false;
        collected = null;
        position = HEAD_ROOM_BYTES;
        rootCodec = null;
        scratch.reference = null;
        resetTypes();
        clearScope();
    }

    /** Forgets the types and objects of the stream so far: what follows is understood without it. */
    void clearScope() {
        fast = false;
        if (identity != null) {
            identity.clear();
        }
        dropPending(0);
        popElements(0);
        sectionCount = 0;
        depth = 0;
    }

    private void resetTypes() {
        typeBase += typeCount;
        Arrays.fill(types, 0, typeCount, null);
        typeCount = 0;
        frameFirstType = 0;
        if (typeBase > MANY_OBJECTS) {
            Arrays.fill(typeNumbers, 0);
            typeBase = 1;
        }
    }

    /** Writes a record that shares nothing with the records before and after it. */
    void writeRecord(@Nullable Object root) {
        if (root == null) {
            writeTagByte(TAG_NULL);
            return;
        }
        Codec codec = rootCodec;
        if (codec == null || codec.type != root.getClass()) {
            codec = registry.codecOf(root.getClass());
            rootCodec = codec;
        }
        if (codec.has(Codec.LEAF | Codec.SELF_CONTAINED)) {
            // Nothing can refer to it, so that there is nothing to keep track of.
            writeTag(codec);
            codec.write(this, root, null);
            return;
        }
        if (Access.ADDRESS_BITS && !codec.rootNeedsIdentityTable) {
            int start = position;
            int startTypes = typeCount;
            int pauses = Access.ADDRESSES.pauses();
            try {
                beginFast(pauses);
                trackFast(bitsOf(root));
                writeNew(codec, root, null);
                if (pendingCount > 0) {
                    writePending(0);
                }
                if (Access.ADDRESSES.pauses() == pauses) {
                    return;
                }
            } catch (Restart unsuitable) {
                if (restartForHooks) {
                    // The next record of this class will need the table too.
                    codec.rootNeedsIdentityTable = true;
                }
            }
            rollBack(start, startTypes);
        }
        clearScope();
        table().skip(root);
        writeNew(codec, root, null);
        writePending(0);
    }

    private boolean restartForHooks;
    /** Codec of the latest record: records of a kind come in rows. */
    private @Nullable Codec rootCodec;

    /** Writes a root whose objects may be shared with roots before and after it. */
    void writeSharedRoot(@Nullable Object root) {
        fast = false;
        writeSection(root);
    }

    // The place to which rollBackToMark returns.
    private int markPosition;
    private int markTypes;
    private int markFrameFirstType;
    private int markCollected;
    private boolean markHeaderWritten;

    /** Remembers this place for the case that the record that follows cannot be written. */
    void mark() {
        markPosition = position;
        markTypes = typeCount;
        markFrameFirstType = frameFirstType;
        markCollected = collected == null ? 0 : collected.size();
        markHeaderWritten = headerWritten;
    }

    /** Makes the image what it was at the mark, even if frames have been filled since. */
    void rollBackToMark() {
        List<byte[]> frames = collected;
        if (frames != null && frames.size() > markCollected) {
            byte[] frame = frames.get(markCollected);
            int types = (markHeaderWritten ? 0 : IMAGE_HEADER_BYTES) + FRAME_HEADER_BYTES;
            int typesBytes =
                    (int) ImageFormat.INT.get(frame, types - FRAME_HEADER_BYTES + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
            System.arraycopy(frame, types + typesBytes, buffer, HEAD_ROOM_BYTES, markPosition - HEAD_ROOM_BYTES);
            frames.subList(markCollected, frames.size()).clear();
            headerWritten = markHeaderWritten;
        }
        rollBack(markPosition, markTypes);
        frameFirstType = markFrameFirstType;
        clearScope();
    }

    /** Writes a root that is a new object for the reader, whether it was written before or not, and that nothing refers to. */
    void writeUnsharedRoot(@Nullable Object root) {
        fast = false;
        int section = beginSection();
        Codec codec = root == null ? null : registry.codecOf(root.getClass());
        if (root == null || codec == null || !codec.has(Codec.TRACKED)) {
            writeReference(root);
        } else {
            // It takes its number, under which nobody finds it.
            table().skip(new Object());
            writeNew(codec, root, null);
        }
        endSection(section);
    }

    private void rollBack(int start, int startTypes) {
        position = start;
        while (typeCount > startTypes) {
            Codec codec = types[--typeCount];
            typeNumbers[codec.serial] = 0;
        }
        dropPending(0);
        popElements(0);
        sectionCount = 0;
        depth = 0;
    }

    /**
     * Writes a reference and everything it needs to be complete for the reader at this point. Hooks of user classes write
     * through sections, because their counterparts may use what they have read at once.
     */
    void writeSection(@Nullable Object object) {
        int section = beginSection();
        writeReference(object);
        endSection(section);
    }

    /** Begins a section; its end is the place where everything that was deferred within it is written. */
    int beginSection() {
        int section = sectionCount;
        if (section + 2 > sections.length) {
            sections = Arrays.copyOf(sections, sections.length * 2);
        }
        sections[section] = depth;
        sections[section + 1] = pendingCount;
        sectionCount = section + 2;
        depth = 0;
        return section;
    }

    void endSection(int section) {
        writePending(sections[section + 1]);
        depth = sections[section];
        sectionCount = section;
    }

    private int[] sections = new int[8];
    private int sectionCount;

    private void writePending(int first) {
        for (int index = first; index < pendingCount; index++) {
            Object object = pendingObjects[index];
            Codec codec = pendingCodecs[index];
            pendingObjects[index] = null;
            depth = 1;
            codec.writeBody(this, object, null);
            if (index >= first + 1024 && index - first > pendingCount - index) {
                // Use the places again, so that the queue grows with the width of the graph and not with its length.
                int rest = pendingCount - index - 1;
                System.arraycopy(pendingObjects, index + 1, pendingObjects, first, rest);
                System.arraycopy(pendingCodecs, index + 1, pendingCodecs, first, rest);
                Arrays.fill(pendingObjects, first + rest, pendingCount, null);
                pendingCount = first + rest;
                index = first - 1;
            }
        }
        pendingCount = first;
        depth = 0;
    }

    private void dropPending(int first) {
        if (pendingObjects.length > 1024) {
            pendingObjects = new Object[16];
            pendingCodecs = new Codec[16];
        } else {
            Arrays.fill(pendingObjects, first, Math.max(first, pendingCount), null);
            if (deferred) {
                Arrays.fill(pendingCodecs, first, pendingCodecs.length, null);
                deferred = false;
            }
        }
        pendingCount = first;
    }

    // ---------------------------------------------------------------- references

    /** Writes a reference for which the bits of its slot are not at hand. */
    void writeReference(@Nullable Object object) {
        writeReference(object, fast ? bitsOf(object) : 0, null);
    }

    /**
     * Writes a reference.
     *
     * @param bits the slot it was read from, read as an {@code int} before and after with the same result, else 0
     */
    void writeReference(@Nullable Object object, int bits, @Nullable TypeHint hint) {
        if (object == null) {
            writeTagByte(TAG_NULL);
            return;
        }
        Codec expected = hint == null ? null : hint.codec();
        Codec codec =
                expected != null && object.getClass() == expected.type ? expected : registry.codecOf(object.getClass());
        if (codec.has(Codec.TRACKED)) {
            int known = track(object, bits);
            if (known >= 0) {
                writeBackReference(known);
                return;
            }
        }
        writeNew(codec, object, hint);
    }

    /** Writes a reference whose class is most likely the expected one. */
    void writeExpected(@Nullable Object object, int bits, Codec expected, TypeHint hint) {
        if (object != null && object.getClass() == expected.type) {
            if (expected.has(Codec.TRACKED)) {
                int known = track(object, bits);
                if (known >= 0) {
                    writeBackReference(known);
                    return;
                }
            }
            if (depth < DEPTH_LIMIT && !expected.has(Codec.SPECIAL)) {
                writeTag(expected);
                depth++;
                expected.write(this, object, hint);
                depth--;
                return;
            }
            writeNew(expected, object, hint);
        } else {
            writeReference(object, bits, hint);
        }
    }

    private void writeNew(Codec codec, Object object, @Nullable TypeHint hint) {
        if (codec.has(Codec.SPECIAL)) {
            codec = special(codec, object);
        }
        if (depth >= DEPTH_LIMIT && codec.has(Codec.DEFERRABLE)) {
            writeTagByte(TAG_DEFERRED);
            writeTag(codec);
            codec.writeShape(this, object);
            defer(codec, object);
        } else {
            writeTag(codec);
            depth++;
            codec.write(this, object, hint);
            depth--;
        }
    }

    private Codec special(Codec codec, Object object) {
        Codec chosen = codec;
        if (fast && codec.has(Codec.CALLS_USER_CODE)) {
            throw restartForHooks();
        }
        if (codec.has(Codec.VARIES)) {
            chosen = codec.variant(this, object);
            if (fast && chosen.has(Codec.CALLS_USER_CODE)) {
                throw restartForHooks();
            }
        }
        return chosen;
    }

    /** For a record that cannot go on like this, because something changed meanwhile; only while {@link #wantsBits}. */
    Restart restart() {
        restartForHooks = false;
        return Restart.INSTANCE;
    }

    private Restart restartForHooks() {
        restartForHooks = true;
        return Restart.INSTANCE;
    }

    /** Whether bits of slots are of use; they cost a read each. */
    boolean wantsBits() {
        return fast;
    }

    /** Writes an element of a collection whose elements are all of one class. */
    void writeElement(@Nullable Object object, int bits, Codec codec) {
        if (object == null) {
            writeByte(ImageFormat.ELEMENT_NULL);
            return;
        }
        if (object.getClass() != codec.type) {
            writeByte(ImageFormat.ELEMENT_OTHER);
            writeReference(object, bits, null);
            return;
        }
        int known = track(object, bits);
        if (known >= 0) {
            writeByte(ImageFormat.ELEMENT_BACK_REFERENCE);
            writeNumber(known);
        } else if (depth < DEPTH_LIMIT) {
            writeByte(ImageFormat.ELEMENT_NEW);
            depth++;
            codec.write(this, object, null);
            depth--;
        } else if (codec.has(Codec.DEFERRABLE)) {
            writeByte(ImageFormat.ELEMENT_DEFERRED);
            codec.writeShape(this, object);
            defer(codec, object);
        } else {
            writeByte(ImageFormat.ELEMENT_NEW);
            codec.write(this, object, null);
        }
    }

    // Elements that wait to be written, as a stack: entries of maps, values of lists that others may change meanwhile.
    private Object[] elements = new Object[64];
    private Object elementSlots = elements;
    private int elementCount;
    private int elementsPauses;

    int elementCount() {
        return elementCount;
    }

    Object[] elements() {
        return elements;
    }

    /** The same array, of which the JIT does not know the type; see {@link ElementsForm}. */
    Object elementSlots() {
        return elementSlots;
    }

    private void setElements(Object[] newElements) {
        elements = newElements;
        elementSlots = newElements;
    }

    void pushElement(@Nullable Object element) {
        int index = elementCount;
        if (index == elements.length) {
            setElements(Arrays.copyOf(elements, index * 2));
        }
        elements[index] = element;
        elementCount = index + 1;
    }

    void pushElements(Object[] source, int count) {
        int first = elementCount;
        if (count > elements.length - first) {
            setElements(Arrays.copyOf(elements, Math.max(first + count, elements.length * 2)));
        }
        System.arraycopy(source, 0, elements, first, count);
        elementCount = first + count;
    }

    void popElements(int first) {
        Arrays.fill(elements, first, elementCount, null);
        elementCount = first;
    }

    private void freshElements(int pauses) {
        if (elementsPauses != pauses && elements.length <= 1024) {
            // As with scratch: stores into a young array cost the collector's barriers least.
            setElements(new Object[elements.length]);
            elementsPauses = pauses;
        }
    }

    private void defer(Codec codec, Object object) {
        int index = pendingCount;
        if (index == pendingObjects.length) {
            pendingObjects = Arrays.copyOf(pendingObjects, index * 2);
            pendingCodecs = Arrays.copyOf(pendingCodecs, index * 2);
        }
        pendingObjects[index] = object;
        pendingCodecs[index] = codec;
        pendingCount = index + 1;
        deferred = true;
    }

    void writeBackReference(int index) {
        writeTagByte(TAG_BACK_REFERENCE);
        writeNumber(index);
    }

    void writeTag(Codec codec) {
        int tag = codec.builtInTag;
        if (tag == 0) {
            tag = TAG_FIRST_DESCRIBED_TYPE + typeNumber(codec);
        }
        if (tag < 128) {
            writeTagByte(tag);
        } else {
            writeNumber(tag);
        }
    }

    private void writeTagByte(int tag) {
        int p = reserve(1);
        buffer[p] = (byte) (tag << 1 | 1);
        position = p + 1;
    }

    private int typeNumber(Codec codec) {
        int serial = codec.serial;
        if (serial < typeNumbers.length) {
            int number = typeNumbers[serial] - typeBase;
            if (number >= 0) {
                return number;
            }
        } else {
            typeNumbers = Arrays.copyOf(typeNumbers, Math.max(serial + 1, typeNumbers.length * 2));
        }
        int number = typeCount++;
        if (number == types.length) {
            types = Arrays.copyOf(types, number * 2);
        }
        codec.descriptionBytes(); // fails here, before anything refers to the type, if the class cannot be described
        types[number] = codec;
        typeNumbers[serial] = typeBase + number;
        return number;
    }

    // ---------------------------------------------------------------- identity

    /**
     * Finds out whether an object has been written in this scope, and gives it the next number if not.
     *
     * @return its number if it has, else -1
     */
    int track(Object object, int bits) {
        return fast ? trackFast(bits) : table().track(object);
    }

    private int trackFast(int bits) {
        if (bits == 0) {
            // The slot changed while it was read.
            restartForHooks = false;
            throw Restart.INSTANCE;
        }
        long[] table = fastTable;
        int slot = (bits * 0x9E3779B9) >>> fastShift;
        int base = fastBase;
        while (true) {
            long entry = table[slot];
            int number = (int) entry;
            if (number < base) {
                int next = fastNext++;
                table[slot] = (long) bits << 32 | next;
                if (next - base >= table.length >> 1) {
                    growFast();
                }
                return -1;
            }
            if ((int) (entry >>> 32) == bits) {
                return number - base;
            }
            slot = slot + 1 & table.length - 1;
        }
    }

    private void growFast() {
        long[] old = fastTable;
        if (old.length >= FAST_OBJECTS_LIMIT) {
            restartForHooks = false;
            throw Restart.INSTANCE;
        }
        long[] table = new long[old.length * 4];
        fastTable = table;
        fastShift -= 2;
        for (long entry : old) {
            if ((int) entry >= fastBase) {
                int slot = ((int) (entry >>> 32) * 0x9E3779B9) >>> fastShift;
                while ((int) table[slot] != 0) {
                    slot = slot + 1 & table.length - 1;
                }
                table[slot] = entry;
            }
        }
    }

    private void beginFast(int pauses) {
        fast = true;
        fastBase = fastNext;
        if (fastBase > MANY_OBJECTS) {
            Arrays.fill(fastTable, 0);
            fastBase = 1;
            fastNext = 1;
        }
        if (pauses != scratchPauses) {
            // A fresh array is young, and stores into young objects cost the collector's barriers least.
            scratch = new Slot();
            scratchPauses = pauses;
        }
        freshElements(pauses);
    }

    /** The bits of a slot that holds the object, for objects that do not come from a slot that could be read. */
    int bitsOf(@Nullable Object object) {
        Slot slot = scratch;
        slot.reference = object;
        return Access.raw().getInt(slot, slotOffset);
    }

    /** The same array for raw reads of its slots; see {@link ElementsForm}. */
    Object opaque(Object[] array) {
        if (!fast) {
            return array;
        }
        Slot slot = scratch;
        Access.raw().putReference(slot, slotOffset, array);
        Object opaque = slot.reference;
        return opaque == null ? array : opaque;
    }

    private IdentityTable table() {
        IdentityTable table = identity;
        if (table == null) {
            table = new IdentityTable(Access.ADDRESSES);
            identity = table;
        }
        return table;
    }

    // ---------------------------------------------------------------- values

    /** Writes a string slot. */
    void writeString(@Nullable String string, int bits) {
        if (string == null) {
            writeTagByte(STRING_NULL);
            return;
        }
        int known = track(string, bits);
        if (known >= 0) {
            writeTagByte(STRING_BACK_REFERENCE);
            writeNumber(known);
            return;
        }
        StringForm.write(this, string);
    }

    void writeString(@Nullable String string) {
        writeString(string, fast ? bitsOf(string) : 0);
    }

    /** Writes a text of the format itself (a name), which has no identity. */
    void writeName(String name) {
        StringForm.write(this, name);
    }

    void writeByte(int value) {
        int p = reserve(1);
        buffer[p] = (byte) value;
        position = p + 1;
    }

    void writeInt(int value) {
        int p = reserve(4);
        ImageFormat.INT.set(buffer, p, value);
        position = p + 4;
    }

    void writeLong(long value) {
        int p = reserve(8);
        ImageFormat.LONG.set(buffer, p, value);
        position = p + 8;
    }

    void writeNumber(long value) {
        int p = reserve(NUMBER_LIMIT_BYTES);
        position = ImageFormat.putNumber(buffer, p, value);
    }

    void writeSignedNumber(long value) {
        writeNumber(ImageFormat.zigzag(value));
    }

    /** Writes bytes that the reader may take in other portions. */
    void writeBytes(byte[] bytes, int offset, int length) {
        int done = 0;
        while (done < length) {
            int portion = portion(length - done);
            System.arraycopy(bytes, offset + done, buffer, position, portion);
            position += portion;
            done += portion;
        }
    }

    /** Writes the elements of a primitive array, little endian. */
    void writeElements(Object array, int elementSizeBytes) {
        RawMemory raw = Access.RAW;
        int length = Array.getLength(array);
        if (array instanceof byte[] bytes) {
            writeBytes(bytes, 0, length);
            return;
        }
        long sizeBytes = (long) length * elementSizeBytes;
        if (raw == null) {
            PortableElements.write(this, array);
            return;
        }
        long base = raw.arrayBaseOffset(array.getClass());
        long done = 0;
        while (done < sizeBytes) {
            int portion = portion(sizeBytes - done);
            raw.copyMemory(array, base + done, buffer, PortableElements.BYTES_BASE + position, portion);
            position += portion;
            done += portion;
        }
    }

    /** Makes room for as many of the bytes as fit well, at least one. */
    int portion(long wanted) {
        if (wanted <= buffer.length - position) {
            return (int) wanted;
        }
        if (sink == null && collected == null && wanted < COLLECT_FRAMES_FROM_BYTES * 8L) {
            reserve((int) wanted);
            return (int) Math.min(wanted, buffer.length - position);
        }
        reserve((int) Math.min(wanted, ImageFormat.FRAME_TARGET_BYTES));
        return (int) Math.min(wanted, buffer.length - position);
    }

    // ---------------------------------------------------------------- hooks

    /** The object stream on which hooks of user classes write into this image. */
    GraphOutput hookOutput() {
        GraphOutput output = hookOutput;
        if (output == null) {
            output = GraphOutput.forHooks(this);
            hookOutput = output;
        }
        return output;
    }

    // ---------------------------------------------------------------- buffer and frames

    /**
     * Makes room for a unit.
     *
     * @return the position to write at; the caller sets {@link #position} behind what it wrote
     */
    int reserve(int sizeBytes) {
        int p = position;
        return sizeBytes <= buffer.length - p ? p : makeRoom(sizeBytes);
    }

    private int makeRoom(int sizeBytes) {
        if (sink == null && collected == null && position >= COLLECT_FRAMES_FROM_BYTES) {
            collected = new ArrayList<>();
        }
        if ((sink != null || collected != null) && position >= ImageFormat.FRAME_TARGET_BYTES) {
            if (fast) {
                // What has left cannot be written again.
                restartForHooks = false;
                throw Restart.INSTANCE;
            }
            emitFrame();
            if (sizeBytes <= buffer.length) {
                return position;
            }
        }
        long needed = (long) position + sizeBytes;
        if (needed > ImageFormat.FRAME_LIMIT_BYTES) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "an image frame would need " + needed + " bytes, the format's limit is "
                            + ImageFormat.FRAME_LIMIT_BYTES);
        }
        long doubled = Math.min(buffer.length * 2L, ImageFormat.FRAME_LIMIT_BYTES);
        buffer = Arrays.copyOf(buffer, (int) Math.max(doubled, needed + 64));
        return position;
    }

    /** Passes on what has been written so far, so that the reader can use it; no effect without a sink. */
    void flushFrame() {
        if (sink != null && position > HEAD_ROOM_BYTES) {
            emitFrame();
        }
    }

    private void emitFrame() {
        int start = placeHead();
        FrameSink target = sink;
        if (target != null) {
            try {
                target.write(buffer, start, position - start);
            } catch (IOException e) {
                throw new HeapspanException(Category.IO, "writing a frame of the image failed: " + e.getMessage(), e);
            }
        } else if (collected != null) {
            collected.add(Arrays.copyOfRange(buffer, start, position));
        }
        position = HEAD_ROOM_BYTES;
        frameFirstType = typeCount;
    }

    private int typesSizeBytes() {
        if (typeRegistry != null) {
            return frameFirstType == typeCount ? 0 : putRegistryTypes(typeRegistry);
        }
        int total = 0;
        for (int index = frameFirstType; index < typeCount; index++) {
            total = Math.addExact(total, types[index].descriptionBytes().length);
        }
        return total;
    }

    /** Gathers the types of the frame as numbers of the registry; returns how many bytes they take. */
    private int putRegistryTypes(TypeRegistry types) {
        int most = ImageFormat.REGISTRY_ID_BYTES + ImageFormat.NUMBER_LIMIT_BYTES * (typeCount - frameFirstType);
        if (registryTypes.length < most) {
            registryTypes = new byte[most];
        }
        UUID id = types.id();
        ImageFormat.LONG.set(registryTypes, 0, id.getMostSignificantBits());
        ImageFormat.LONG.set(registryTypes, 8, id.getLeastSignificantBits());
        int p = ImageFormat.REGISTRY_ID_BYTES;
        for (int index = frameFirstType; index < typeCount; index++) {
            p = ImageFormat.putNumber(registryTypes, p, registryNumber(types, this.types[index]));
        }
        return p;
    }

    private int registryNumber(TypeRegistry types, Codec codec) {
        int serial = codec.serial;
        if (serial >= registryNumbers.length) {
            registryNumbers = Arrays.copyOf(registryNumbers, Math.max(serial + 1, registryNumbers.length * 2));
        }
        if (registryNumbers[serial] == 0) {
            registryNumbers[serial] = types.numberOf(codec.descriptionBytes()) + 1;
        }
        return registryNumbers[serial] - 1;
    }

    /**
     * Puts the image header, where it is still due, the frame header and the types right before the body.
     *
     * @return where they begin
     */
    private int placeHead() {
        int typesBytes = typesSizeBytes();
        int headBytes = (headerWritten ? 0 : IMAGE_HEADER_BYTES) + FRAME_HEADER_BYTES + typesBytes;
        int bodyBytes = position - HEAD_ROOM_BYTES;
        int start = HEAD_ROOM_BYTES - headBytes;
        if (start < 0) {
            // More types than usual: move the body.
            byte[] moved = new byte[Math.max(buffer.length, headBytes + bodyBytes)];
            System.arraycopy(buffer, HEAD_ROOM_BYTES, moved, headBytes, bodyBytes);
            buffer = moved;
            position = headBytes + bodyBytes;
            start = 0;
        }
        byte[] target = buffer;
        int p = start;
        if (!headerWritten) {
            putImageHeader(target, p, flags);
            headerWritten = true;
            p += IMAGE_HEADER_BYTES;
        }
        int frame = p;
        p += FRAME_HEADER_BYTES;
        if (typeRegistry != null) {
            System.arraycopy(registryTypes, 0, target, p, typesBytes);
        } else {
            putDescriptions(target, p);
        }
        int check = 0;
        if (checksum) {
            crc.reset();
            crc.update(target, frame + FRAME_HEADER_BYTES, typesBytes + bodyBytes);
            check = (int) crc.getValue();
        }
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_BODY_BYTES_OFFSET, bodyBytes);
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET, typesBytes);
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_CRC_OFFSET, check);
        return start;
    }

    private void putDescriptions(byte[] target, int offset) {
        int p = offset;
        for (int index = frameFirstType; index < typeCount; index++) {
            byte[] described = types[index].descriptionBytes();
            System.arraycopy(described, 0, target, p, described.length);
            p += described.length;
        }
    }

    static void putImageHeader(byte[] target, int offset, int flags) {
        ImageFormat.INT.set(target, offset, ImageFormat.MAGIC);
        target[offset + ImageFormat.VERSION_OFFSET] = ImageFormat.VERSION;
        target[offset + ImageFormat.ENCODING_OFFSET] = ImageFormat.ENCODING_COMPACT;
        ImageFormat.SHORT.set(target, offset + ImageFormat.FLAGS_OFFSET, (short) flags);
    }

    /** How many bytes the image has so far, types included. */
    long sizeBytes() {
        long earlier = 0;
        if (collected != null) {
            for (byte[] frame : collected) {
                earlier += frame.length;
            }
        }
        return earlier + position - HEAD_ROOM_BYTES + typesSizeBytes();
    }

    /** Ends the image with an end frame, for readers of streams that do not know its length. */
    void endToSink() throws IOException {
        if (position > HEAD_ROOM_BYTES || !headerWritten) {
            emitFrame();
        }
        FrameSink target = sink;
        if (target != null) {
            target.write(new byte[FRAME_HEADER_BYTES], 0, FRAME_HEADER_BYTES);
        }
    }

    /** Whether the image is all in one frame and can be ended without a copy. */
    boolean isOneFrame() {
        return collected == null;
    }

    /**
     * Ends an image of one frame within the {@link #buffer}, up to {@link #position}.
     *
     * @return where it begins
     */
    int endInPlace() {
        return placeHead();
    }

    /**
     * Ends the image and returns all of it. An image in memory needs no end frame: its length is known.
     *
     * @throws HeapspanException if it is longer than an array can be
     */
    byte[] endToArray() {
        List<byte[]> frames = collected;
        if (frames == null) {
            int start = placeHead();
            return Arrays.copyOfRange(buffer, start, position);
        }
        emitFrame();
        long total = 0;
        for (byte[] part : frames) {
            total += part.length;
        }
        if (total > Integer.MAX_VALUE - 16) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image has " + total + " bytes, an array holds at most " + (Integer.MAX_VALUE - 16)
                            + "; use encodeTo(object, stream or channel)");
        }
        byte[] image = new byte[(int) total];
        int p = 0;
        for (byte[] part : frames) {
            System.arraycopy(part, 0, image, p, part.length);
            p += part.length;
        }
        return image;
    }

    /** Lets go of everything that belongs to the image, so that a pooled writer keeps no object or class alive. */
    void release() {
        sink = null;
        collected = null;
        resetTypes();
        clearScope();
        scratch.reference = null;
        rootCodec = null;
        if (fastTable.length > KEPT_FAST_ENTRIES) {
            fastTable = new long[1 << FAST_TABLE_SHIFT];
            fastShift = 32 - FAST_TABLE_SHIFT;
        }
        if (buffer.length > KEPT_BUFFER_BYTES) {
            buffer = new byte[INITIAL_BUFFER_BYTES];
        }
    }
}
