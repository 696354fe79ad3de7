package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.DEPTH_LIMIT;
import static org.heapspan.image.format.ImageFormat.STRING_BACK_REFERENCE;
import static org.heapspan.image.format.ImageFormat.STRING_NULL;
import static org.heapspan.image.format.ImageFormat.TAG_BACK_REFERENCE;
import static org.heapspan.image.format.ImageFormat.TAG_DEFERRED;
import static org.heapspan.image.format.ImageFormat.TAG_NULL;

import java.util.Arrays;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.memory.StackRoom;
import org.jspecify.annotations.Nullable;

/**
 * Writes references and their targets: new objects, objects that have been written before, strings, elements of collections. Codecs use
 * this class. {@link ImageWriter} is the subclass that writes images.
 *
 * <p>If objects nest deeper than {@link ImageFormat#DEPTH_LIMIT}, their bodies are deferred to the end of the section. So a graph of any
 * depth is written with a bounded stack. Not thread-safe.
 */
public abstract sealed class ReferenceWriter extends IdentityWriter permits ImageWriter {
    private static final int SECTION_FIELDS = 2;

    /** Value of {@link #sectionCount} from which on sections are not shallow. */
    private static final int SHALLOW = StackRoom.SHALLOW_SECTIONS * SECTION_FIELDS;

    public final CodecRegistry registry;

    /** What codecs have found in containers and not written yet. */
    public final WaitingElements waiting = new WaitingElements();

    /** Set while the image is raw. */
    @Nullable
    RawOutput raw;

    private final DeferredBodies deferred = new DeferredBodies();

    /** How deep the current object lies within its section. */
    private int depth;

    // For each section within which this is: the depth outside and where its deferred objects begin.
    private int[] sections = new int[8];
    private int sectionCount;

    private final StackRoom room = new StackRoom();

    ReferenceWriter(
            CodecRegistry registry, @Nullable RegisteredTypes registeredTypes, @Nullable FindableClasses findable) {
        super(registeredTypes, findable);
        this.registry = registry;
    }

    /** This, as codecs see it. */
    abstract ImageWriter self();

    /** Begins an operation on the stack that is there now. */
    final void clearRoom() {
        room.clear();
    }

    /** Forgets everything that was begun and not ended. */
    final void dropNested() {
        deferred.clear();
        waiting.cutTo(0);
        sectionCount = 0;
        depth = 0;
        room.clear();
    }

    @Override
    final void afterPause() {
        // As with the scratch slot.
        waiting.renew();
    }

    // ---------------------------------------------------------------- sections

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
        if (section + SECTION_FIELDS > sections.length) {
            sections = Arrays.copyOf(sections, sections.length * 2);
        }
        sections[section] = depth;
        sections[section + 1] = deferred.count();
        sectionCount = section + SECTION_FIELDS;
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
        writeDeferred(sections[section + 1]);
        depth = sections[section];
        sectionCount = section;
    }

    /** Whether the image was left to a thread that may still write it: then this writer is of no more use. */
    public boolean isAbandoned() {
        return room.isAbandoned();
    }

    /** Refuses to go on with an {@linkplain #isAbandoned abandoned} image. */
    public void checkNotAbandoned() {
        room.checkNotAbandoned();
    }

    /** Writes the bodies that were deferred, from an index on. */
    final void writeDeferred(int first) {
        DeferredBodies bodies = deferred;
        for (int index = first; index < bodies.count(); index = bodies.next(first, index)) {
            depth = sectionCount <= SHALLOW ? 1 : DEPTH_LIMIT;
            bodies.codec(index).writeBody(self(), bodies.take(index), null);
        }
        bodies.endSection(first);
        depth = 0;
    }

    /** Writes the bodies that were deferred, where there are any and no section is open. */
    final void writeAllDeferred() {
        if (deferred.count() > 0) {
            writeDeferred(0);
        }
    }

    // ---------------------------------------------------------------- references

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

    final void writeNew(Codec codec, Object object, @Nullable TypeHint hint) {
        if (codec.has(Codec.SPECIAL)) {
            codec = special(codec, object);
        }
        if (depth >= DEPTH_LIMIT && codec.has(Codec.DEFERRABLE)) {
            writeTagByte(TAG_DEFERRED);
            writeTag(codec);
            codec.writeShape(self(), object);
            deferred.add(codec, object);
            return;
        }
        writeTag(codec);
        if (depth < DEPTH_LIMIT) {
            depth++;
            codec.write(self(), object, hint);
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
            codec.write(self(), object, hint);
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
            codec.write(self(), object, hint);
        }
    }

    private Codec special(Codec codec, Object object) {
        Codec chosen = codec;
        if (wantsBits() && codec.has(Codec.CALLS_USER_CODE)) {
            throw restart(Reason.HOOKS);
        }
        if (codec.has(Codec.VARIES)) {
            chosen = codec.variant(self(), object);
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
            codec.write(self(), object, null);
            depth--;
        } else if (codec.has(Codec.DEFERRABLE)) {
            writeByte(ImageFormat.ELEMENT_DEFERRED);
            codec.writeShape(self(), object);
            deferred.add(codec, object);
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

    // ---------------------------------------------------------------- back references, strings

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
}
