package org.heapspan.image;

import static org.heapspan.image.ImageFormat.DEPTH_LIMIT;
import static org.heapspan.image.ImageFormat.STRING_BACK_REFERENCE;
import static org.heapspan.image.ImageFormat.STRING_NULL;
import static org.heapspan.image.ImageFormat.TAG_BACK_REFERENCE;
import static org.heapspan.image.ImageFormat.TAG_DEFERRED;
import static org.heapspan.image.ImageFormat.TAG_NULL;

import java.util.Arrays;
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
final class ImageWriter extends FrameWriter {
    private static final int FAST_TABLE_SHIFT = 10;

    private static final int KEPT_FAST_ENTRIES = 1 << 14;

    /** Larger records are likely to be interrupted by a collection and are left to the identity table. */
    private static final int FAST_OBJECTS_LIMIT = 1 << 17;

    private static final int MANY_OBJECTS = 1 << 30;

    private static final long[] NO_ENTRIES = new long[0];

    final CodecRegistry registry;

    // Identity.
    /** Made for the first record: object streams and groups that are one scope do without. */
    private long[] fastTable = NO_ENTRIES;

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
    private @Nullable GraphOutput hookOutput;

    ImageWriter(CodecRegistry registry, @Nullable RegisteredTypes registeredTypes) {
        super(registeredTypes);
        this.registry = registry;
    }

    /**
     * Begins an image.
     *
     * @param newFlags {@code ImageFormat.FLAG_*}
     * @param newSink where frames go as they fill up; {@code null} to collect them
     */
    void begin(int newFlags, @Nullable FrameSink newSink) {
        raw = null;
        beginFrames(newFlags, newSink);
        rootCodec = null;
        scratch.reference = null;
        clearScope();
    }

    /** Begins an image in the raw encoding, of which {@link RawImageWriter} writes the most; as {@link #begin} where it cannot be. */
    void beginRaw(int newFlags, @Nullable FrameSink newSink) {
        begin(newFlags, newSink);
        RawLayout layout = RawLayout.OWN;
        if (layout == null) {
            return;
        }
        RawImageWriter writer = rawWriter;
        if (writer == null) {
            writer = new RawImageWriter(this, layout);
            rawWriter = writer;
        }
        raw = writer;
        writer.begin();
    }

    /** Set while the image is raw. */
    private @Nullable RawImageWriter raw;

    private @Nullable RawImageWriter rawWriter;

    @Override
    int encoding() {
        return raw == null ? ImageFormat.ENCODING_COMPACT : ImageFormat.ENCODING_RAW;
    }

    @Override
    void completeBody() {
        if (raw != null) {
            raw.placeChunk();
        }
    }

    @Override
    long sizeBytes() {
        return super.sizeBytes() + (raw == null ? 0 : raw.sizeBytes());
    }

    /** Forgets the types and objects of the stream so far: what follows is understood without it. */
    void clearScope() {
        fast = false;
        if (identity != null) {
            identity.clear();
        }
        dropUnfinished();
    }

    private void dropUnfinished() {
        dropPending(0);
        popElements(0);
        sectionCount = 0;
        depth = 0;
    }

    /** Writes a record that shares nothing with the records before and after it. */
    void writeRecord(@Nullable Object root) {
        if (raw != null) {
            raw.writeRecord(root);
            return;
        }
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
            int startTypes = typeCount();
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

    /** Makes the image what it was at the mark, for a record that cannot be written. */
    void rollBackToMark() {
        cutToMark(raw == null ? 0 : raw.insertedBytes());
        if (raw != null) {
            raw.takeBackRecord();
        }
        clearScope();
    }

    private int markObjects;

    /** As {@link #mark}, for a record that may share objects with those before it. */
    void markInScope() {
        mark();
        markObjects = table().count();
    }

    /** As {@link #rollBackToMark}, back to {@link #markInScope}: what the scope knew there it still knows. */
    void rollBackInScope() {
        cutToMark(0);
        table().cutTo(markObjects);
        dropUnfinished();
    }

    @Override
    void beforeFrameLeaves() {
        if (fast) {
            // What has left cannot be written again.
            throw restart();
        }
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
        cutTo(start, startTypes);
        dropUnfinished();
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

    /** Grows with the number of sections that have begun and not ended. */
    int sectionDepth() {
        return sectionCount;
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
        if (known >= 0 && raw != null) {
            writeByte(ImageFormat.ELEMENT_OTHER);
            raw.writeBackReference(known);
        } else if (known >= 0) {
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
        if (raw != null) {
            raw.writeBackReference(index);
            return;
        }
        writeTagByte(TAG_BACK_REFERENCE);
        writeNumber(index);
    }

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
        if (fastTable.length == 0) {
            fastTable = new long[1 << FAST_TABLE_SHIFT];
        }
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

    IdentityTable table() {
        IdentityTable table = identity;
        if (table == null) {
            table = new IdentityTable(Access.ADDRESSES);
            identity = table;
        }
        return table;
    }

    /** Writes a string slot. */
    void writeString(@Nullable String string, int bits) {
        if (string == null) {
            writeTagByte(STRING_NULL);
            return;
        }
        int known = track(string, bits);
        if (known >= 0) {
            writeTagByte(STRING_BACK_REFERENCE);
            writeNumber(raw == null ? known : raw.indexOf(known));
            return;
        }
        StringForm.write(this, string);
    }

    void writeString(@Nullable String string) {
        writeString(string, fast ? bitsOf(string) : 0);
    }

    /** The object stream on which hooks of user classes write into this image. */
    GraphOutput hookOutput() {
        GraphOutput output = hookOutput;
        if (output == null) {
            output = GraphOutput.forHooks(this);
            hookOutput = output;
        }
        return output;
    }

    /** Lets go of everything that belongs to the image, so that a pooled writer keeps no object or class alive. */
    void release() {
        releaseFrames();
        clearScope();
        scratch.reference = null;
        rootCodec = null;
        if (rawWriter != null) {
            rawWriter.begin();
        }
        if (fastTable.length > KEPT_FAST_ENTRIES) {
            fastTable = NO_ENTRIES;
            fastShift = 32 - FAST_TABLE_SHIFT;
        }
    }
}
