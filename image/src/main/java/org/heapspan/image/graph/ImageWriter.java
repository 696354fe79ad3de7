package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.DEPTH_LIMIT;
import static org.heapspan.image.format.ImageFormat.NUMBER_LIMIT_BYTES;
import static org.heapspan.image.format.ImageFormat.STRING_BACK_REFERENCE;
import static org.heapspan.image.format.ImageFormat.STRING_NULL;
import static org.heapspan.image.format.ImageFormat.TAG_BACK_REFERENCE;
import static org.heapspan.image.format.ImageFormat.TAG_DEFERRED;
import static org.heapspan.image.format.ImageFormat.TAG_NULL;

import java.io.ObjectOutputStream;
import java.util.Arrays;
import org.heapspan.image.format.FrameSink;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.Restart;
import org.heapspan.image.memory.StackRoom;
import org.jspecify.annotations.Nullable;

/**
 * Writes object graphs as an image in the compact encoding ({@link ImageFormat}).
 *
 * <p>Codecs write through {@link #reserve units}: bytes asked for at once are never torn apart by a frame boundary, and the
 * reader asks for the same units or parts of them. Nesting deeper than {@link ImageFormat#DEPTH_LIMIT} is cut by deferring
 * bodies to the end of the section, so that any graph is written with a bounded stack.
 *
 * <p>A graph that other threads change while it is written gives a mix of old and new values, never more than that. Writers are
 * not thread-safe; pools of the engine hand them out.
 */
public final class ImageWriter extends IdentityWriter {
    public final CodecRegistry registry;

    // Sections.
    private int depth;
    private Codec[] pendingCodecs = new Codec[16];
    private Object[] pendingObjects = new Object[16];
    private int pendingCount;
    private boolean deferred;
    private @Nullable ObjectOutputStream hookOutput;

    /** What this has written and {@code EngineCounters} may not know yet. */
    public final Tally tally = new Tally();

    /**
     * Creates a writer.
     *
     * @param rawMaker what makes the part that writes raw images
     */
    public ImageWriter(
            CodecRegistry registry,
            @Nullable RegisteredTypes registeredTypes,
            @Nullable FindableClasses findable,
            RawOutput.Maker rawMaker) {
        super(registeredTypes, findable);
        this.registry = registry;
        this.rawMaker = rawMaker;
    }

    /**
     * Begins an image.
     *
     * @param newFlags {@code ImageFormat.FLAG_*}
     * @param newSink where frames go as they fill up; {@code null} to collect them
     */
    public void begin(int newFlags, @Nullable FrameSink newSink) {
        begin(newFlags, newSink, null);
    }

    /** Begins an image in memory that can only be read together with its handover ({@link FrameReader#take}). */
    public void beginCopy(int newFlags, Handover handover) {
        begin(newFlags, null, handover);
    }

    /** Ends an image that {@link #beginCopy} began, and completes its handover. */
    public byte[] endCopy(Handover handover) {
        Codec[] codecs = types();
        for (int number = 0; number < codecs.length; number++) {
            codecs[number] = registry.readerOf(codecs[number]);
        }
        handover.setTypes(codecs);
        return endToArray();
    }

    private void begin(int newFlags, @Nullable FrameSink newSink, @Nullable Handover handover) {
        raw = null;
        beginFrames(newFlags, newSink, handover);
        beginIdentity();
        rootCodec = null;
        dropUnfinished();
    }

    /** Begins an image in the raw encoding, of which {@link RawOutput} writes the most; as {@link #begin} where it cannot be. */
    public void beginRaw(int newFlags, @Nullable FrameSink newSink) {
        begin(newFlags, newSink);
        RawOutput writer = rawWriter;
        if (writer == null) {
            writer = rawMaker.of(this);
            if (writer == null) {
                return;
            }
            rawWriter = writer;
        }
        raw = writer;
        writer.begin();
    }

    /** Set while the image is raw. */
    private @Nullable RawOutput raw;

    private final RawOutput.Maker rawMaker;
    private @Nullable RawOutput rawWriter;

    @Override
    public int encoding() {
        return raw == null ? ImageFormat.ENCODING_COMPACT : ImageFormat.ENCODING_RAW;
    }

    @Override
    void completeBody() {
        if (raw != null) {
            raw.placeChunk();
        }
    }

    @Override
    boolean hasBody() {
        return super.hasBody() || raw != null && raw.hasRoots();
    }

    @Override
    boolean keepsFrames() {
        return raw != null && raw.keepsFrames();
    }

    @Override
    void frameEnded(int keptEnd) {
        if (raw != null) {
            raw.frameEnded(keptEnd);
        }
    }

    @Override
    public long sizeBytes() {
        return super.sizeBytes() + (raw == null ? 0 : raw.sizeBytes());
    }

    /** Forgets the types and objects of the stream so far: what follows is understood without it. */
    public void clearScope() {
        forgetObjects();
        dropUnfinished();
    }

    private void dropUnfinished() {
        rootTag = -1;
        bareClass = null;
        dropPending(0);
        popElements(0);
        sectionCount = 0;
        depth = 0;
        room.clear();
    }

    /** Writes a record that shares nothing with the records before and after it. */
    public void writeRecord(@Nullable Object root) {
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
            rootTag = -1;
            bareClass = null;
        }
        if (codec.has(Codec.LEAF | Codec.SELF_CONTAINED)) {
            // Nothing can refer to it, so that there is nothing to keep track of.
            position = codec.writeAt(this, root, null, writeRootTag(codec));
            return;
        }
        if (Access.ADDRESS_BITS && !codec.rootNeedsIdentityTable && writeByBits(codec, root)) {
            return;
        }
        clearScope();
        if (codec.has(Codec.TRACKED)) {
            table().skip(root);
        }
        writeNew(codec, root, null);
        writePending(0);
    }

    private boolean writeByBits(Codec codec, Object root) {
        if (expectsTree()) {
            if (writeByBits(codec, root, true)) {
                learn(true);
                return true;
            }
            if (restartReason() != Reason.SHARED) {
                return false;
            }
            learn(false);
        }
        return writeByBits(codec, root, false);
    }

    private boolean writeByBits(Codec codec, Object root, boolean tree) {
        int start = position;
        int startTypes = typeCount();
        int pauses = Access.ADDRESSES.pauses();
        try {
            beginBits(tree, pauses);
            if (codec.has(Codec.TRACKED)) {
                track(root, bitsOf(root));
            }
            writeNew(codec, root, null);
            if (pendingCount > 0) {
                writePending(0);
            }
            if (Access.ADDRESSES.pauses() == pauses) {
                return true;
            }
            restart(Reason.CHANGED);
        } catch (Restart unsuitable) {
            if (restartReason() == Reason.HOOKS) {
                // The next record of this class will need the table too.
                codec.rootNeedsIdentityTable = true;
            }
        }
        cutTo(start, startTypes);
        dropUnfinished();
        return false;
    }

    /**
     * Writes a record like the one before it if that holds nothing but numbers, and there is room for it: nothing can fail on the
     * way, so that no mark is needed. Only in images of records.
     *
     * @return whether it has been written
     */
    public boolean writeBare(Object root) {
        Codec codec = rootCodec;
        int p = position;
        if (root.getClass() != bareClass || codec == null || bareBytes > buffer.length - p) {
            return false;
        }
        position = codec.writeAt(this, root, null, ImageFormat.putNumber(buffer, p, rootTag));
        return true;
    }

    /**
     * As {@link #writeBare}, for as many records as it suits; in either encoding.
     *
     * @return the first record that has not been written, or {@code end}
     */
    public int writeBareRow(@Nullable Object[] records, int start, int end) {
        if (raw != null) {
            return raw.writeRow(records, start, end);
        }
        Codec codec = rootCodec;
        return codec == null || bareClass == null ? start : codec.writeRow(this, records, start, end, rootTag);
    }

    private int writeRootTag(Codec codec) {
        int tag = rootTag;
        if (tag < 0) {
            tag = tagOf(codec);
            rootTag = tag;
            if (codec.mostBytes > 0) {
                bareClass = codec.type;
                bareBytes = codec.mostBytes + NUMBER_LIMIT_BYTES;
            }
        }
        return writeNumberAt(position, tag);
    }

    /** Class of {@link #rootCodec} once its tag is known and {@link #writeBare} suits it. */
    private @Nullable Class<?> bareClass;

    private int bareBytes;

    /** Tag of {@link #rootCodec} in this image, or -1 until it is known. */
    private int rootTag;

    /** Codec of the latest record: records of a kind come in rows. */
    private @Nullable Codec rootCodec;

    /** Writes a root whose objects may be shared with roots before and after it. */
    public void writeSharedRoot(@Nullable Object root) {
        room.clear();
        endBits();
        writeSection(root);
    }

    /** Makes the image what it was at the mark, for a record that cannot be written. */
    public void rollBackToMark() {
        cutToMark(raw == null ? 0 : raw.insertedBytes());
        if (raw != null) {
            raw.takeBackRecord();
        }
        clearScope();
    }

    private int markObjects;

    /** As {@link #mark}, for a record that may share objects with those before it. */
    public void markInScope() {
        mark();
        markObjects = table().count();
    }

    /** As {@link #rollBackToMark}, back to {@link #markInScope}: what the scope knew there it still knows. */
    public void rollBackInScope() {
        cutToMark(0);
        table().cutTo(markObjects);
        dropUnfinished();
    }

    @Override
    void beforeFrameLeaves() {
        if (wantsBits()) {
            // What has left cannot be written again.
            throw restart(Reason.CHANGED);
        }
    }

    /** Writes a root that is a new object for the reader, whether it was written before or not, and that nothing refers to. */
    public void writeUnsharedRoot(@Nullable Object root) {
        endBits();
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

    /**
     * Writes a reference and everything it needs to be complete for the reader at this point. Hooks of user classes write
     * through sections, because their counterparts may use what they have read at once.
     */
    public void writeSection(@Nullable Object object) {
        int section = beginSection();
        writeReference(object);
        endSection(section);
    }

    /**
     * Writes a reference such that the reader has the object before its contents, where there are two steps to it: what these lead
     * back to is there by then.
     */
    public void writeBeforeContents(Object object) {
        int outer = depth;
        depth = DEPTH_LIMIT;
        writeReference(object);
        depth = outer;
    }

    /** Begins a section; its end is the place where everything that was deferred within it is written. */
    public int beginSection() {
        int section = sectionCount;
        if (section + 2 > sections.length) {
            sections = Arrays.copyOf(sections, sections.length * 2);
        }
        sections[section] = depth;
        sections[section + 1] = pendingCount;
        sectionCount = section + 2;
        depth = section < SHALLOW ? 0 : beginDeepSection();
        return section;
    }

    /** What lies in a section that is not shallow is deferred at once where that can be: each level of nesting takes stack. */
    private int beginDeepSection() {
        room.checkNotAbandoned();
        return DEPTH_LIMIT;
    }

    /** Grows with the number of sections that have begun and not ended. */
    public int sectionDepth() {
        return sectionCount;
    }

    public void endSection(int section) {
        writePending(sections[section + 1]);
        depth = sections[section];
        sectionCount = section;
    }

    private static final int SECTION_FIELDS = 2;

    /** Value of {@link #sectionCount} from which on sections are not shallow. */
    private static final int SHALLOW = StackRoom.SHALLOW_SECTIONS * SECTION_FIELDS;

    private int[] sections = new int[8];
    private int sectionCount;

    private final StackRoom room = new StackRoom();

    /** Whether the image was left to a thread that may still write it: then this writer is of no more use. */
    public boolean isAbandoned() {
        return room.isAbandoned();
    }

    /** Refuses to go on with an {@linkplain #isAbandoned abandoned} image. */
    public void checkNotAbandoned() {
        room.checkNotAbandoned();
    }

    private void writePending(int first) {
        for (int index = first; index < pendingCount; index++) {
            Object object = pendingObjects[index];
            Codec codec = pendingCodecs[index];
            pendingObjects[index] = null;
            depth = sectionCount <= SHALLOW ? 1 : DEPTH_LIMIT;
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
    public void writeReference(@Nullable Object object) {
        writeReference(object, wantsBits() ? bitsOf(object) : 0, null);
    }

    /**
     * Writes a reference.
     *
     * @param bits the slot it was read from, read as an {@code int} before and after with the same result, else 0
     */
    public void writeReference(@Nullable Object object, int bits, @Nullable TypeHint hint) {
        if (object == null) {
            writeTagByte(TAG_NULL);
            return;
        }
        KnownCodec expected = hint == null ? null : hint.known();
        Codec codec = expected != null && object.getClass() == expected.type()
                ? expected.codec()
                : registry.codecOf(object.getClass());
        if (codec.has(Codec.TRACKED)) {
            int known = track(object, bits);
            if (known >= 0) {
                writeBackReference(known);
                return;
            }
        }
        writeNew(codec, object, hint);
    }

    /**
     * Writes a reference whose class is most likely the expected one, but for the body of a new object of it.
     *
     * @return the position of the body, behind which {@link #endNested} is to be called; else the complement of the position behind
     *     the reference
     */
    public int beginExpected(@Nullable Object object, int bits, KnownCodec expected, TypeHint hint, int p) {
        if (object == null
                || object.getClass() != expected.type()
                || expected.has(Codec.SPECIAL)
                || depth >= DEPTH_LIMIT) {
            return ~writeUnexpectedAt(object, bits, hint, p);
        }
        if (expected.has(Codec.TRACKED)) {
            int known = track(object, bits);
            if (known >= 0) {
                return ~writeBackReferenceAt(p, known);
            }
        }
        depth++;
        return writeTagAt(p, expected);
    }

    /** Called behind the body of an object within another. */
    public void endNested() {
        depth--;
    }

    /** Writes a reference; returns the position behind it. */
    public int writeUnexpectedAt(@Nullable Object object, int bits, @Nullable TypeHint hint, int p) {
        position = p;
        writeReference(object, bits, hint);
        return position;
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
            return;
        }
        writeTag(codec);
        if (depth < DEPTH_LIMIT) {
            depth++;
            codec.write(this, object, hint);
            depth--;
        } else {
            writeDeep(codec, object, hint);
        }
    }

    /** Writes an object that cannot be deferred though it lies deep. */
    private void writeDeep(Codec codec, Object object, @Nullable TypeHint hint) {
        int nesting = sectionCount / SECTION_FIELDS + depth - DEPTH_LIMIT;
        depth++;
        if (codec.has(Codec.LEAF) || room.suffices(nesting)) {
            codec.write(this, object, hint);
        } else {
            room.extend(nesting, new Rest(codec, object, hint));
        }
        depth--;
        room.leave(nesting);
    }

    /** An object that is written on a larger stack. */
    private final class Rest implements Runnable {
        private final Codec codec;
        private final Object object;
        private final @Nullable TypeHint hint;

        Rest(Codec codec, Object object, @Nullable TypeHint hint) {
            this.codec = codec;
            this.object = object;
            this.hint = hint;
        }

        @Override
        public void run() {
            codec.write(ImageWriter.this, object, hint);
        }
    }

    private Codec special(Codec codec, Object object) {
        Codec chosen = codec;
        if (wantsBits() && codec.has(Codec.CALLS_USER_CODE)) {
            throw restart(Reason.HOOKS);
        }
        if (codec.has(Codec.VARIES)) {
            chosen = codec.variant(this, object);
            if (wantsBits() && chosen.has(Codec.CALLS_USER_CODE)) {
                throw restart(Reason.HOOKS);
            }
        }
        return chosen;
    }

    /**
     * Writes an element of a collection whose elements are all of one class, but for the body of a new one.
     *
     * @param type the codec's class
     * @return the position of the body, behind which {@link #endNested} is to be called; else the complement of the position behind
     *     the element
     */
    public int beginElement(@Nullable Object object, int bits, Class<?> type, Codec codec, int p) {
        if (object == null || object.getClass() != type || depth >= DEPTH_LIMIT) {
            position = p;
            writeElement(object, bits, codec);
            return ~position;
        }
        int known = track(object, bits);
        if (known >= 0) {
            position = p;
            writeKnownElement(known);
            return ~position;
        }
        int next = reserveAt(p, 1);
        RawBytes.putByte(buffer, next, ImageFormat.ELEMENT_NEW);
        depth++;
        return next + 1;
    }

    public void writeElement(@Nullable Object object, int bits, Codec codec) {
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
            writeKnownElement(known);
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
            writeDeep(codec, object, null);
        }
    }

    private void writeKnownElement(int known) {
        if (raw != null) {
            writeByte(ImageFormat.ELEMENT_OTHER);
            raw.writeBackReference(known);
        } else {
            writeByte(ImageFormat.ELEMENT_BACK_REFERENCE);
            writeNumber(known);
        }
    }

    // Elements that wait to be written, as a stack: entries of maps, values of lists that others may change meanwhile.
    private Object[] elements = new Object[64];
    private int elementCount;

    public int elementCount() {
        return elementCount;
    }

    public Object[] elements() {
        return elements;
    }

    public void pushElement(@Nullable Object element) {
        int index = elementCount;
        if (index == elements.length) {
            elements = Arrays.copyOf(elements, index * 2);
        }
        elements[index] = element;
        elementCount = index + 1;
    }

    public void pushElements(Object[] source, int count) {
        int first = elementCount;
        if (count > elements.length - first) {
            elements = Arrays.copyOf(elements, Math.max(first + count, elements.length * 2));
        }
        System.arraycopy(source, 0, elements, first, count);
        elementCount = first + count;
    }

    public void popElements(int first) {
        Arrays.fill(elements, first, elementCount, null);
        elementCount = first;
    }

    @Override
    void afterPause() {
        if (elements.length <= 1024) {
            // As with scratch: stores into a young array cost the collector's barriers least.
            elements = new Object[elements.length];
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

    private int writeBackReferenceAt(int p, int index) {
        position = p;
        writeBackReference(index);
        return position;
    }

    void writeBackReference(int index) {
        if (raw != null) {
            raw.writeBackReference(index);
            return;
        }
        writeTagByte(TAG_BACK_REFERENCE);
        writeNumber(index);
    }

    /** Writes a string slot. */
    public void writeString(@Nullable String string, int bits) {
        position = writeStringAt(string, bits, position);
    }

    public void writeString(@Nullable String string) {
        writeString(string, wantsBits() ? bitsOf(string) : 0);
    }

    /**
     * Writes a string slot.
     *
     * @return the position behind it
     */
    public int writeStringAt(@Nullable String string, int bits, int p) {
        if (string == null) {
            return writeNumberAt(p, STRING_NULL);
        }
        int known = track(string, bits);
        if (known >= 0) {
            return writeKnownStringAt(known, p);
        }
        return StringForm.writeAt(this, string, p);
    }

    /** Writes the slot of a string that has been written before. */
    int writeKnownStringAt(int known, int p) {
        return writeNumberAt(writeNumberAt(p, STRING_BACK_REFERENCE), raw == null ? known : raw.indexOf(known));
    }

    /** The object stream on which hooks of user classes write into this image; null if there is none yet. */
    @Nullable
    public ObjectOutputStream hookOutput() {
        return hookOutput;
    }

    public void setHookOutput(ObjectOutputStream output) {
        hookOutput = output;
    }

    /** Lets go of everything that belongs to the image, so that a pooled writer keeps no object or class alive. */
    public void release() {
        if (isAbandoned()) {
            return;
        }
        releaseFrames();
        releaseIdentity();
        dropUnfinished();
        rootCodec = null;
        if (rawWriter != null) {
            rawWriter.release();
        }
    }
}
